-- Old code may run beside this.
create table if not exists reservations (
  reservation_id text primary key,
  organization_id text not null,
  environment text not null,
  zone_id text not null,
  retailer_id text not null,
  stall_id text not null,
  stall_label text,
  order_number text not null,
  end_user_name text not null,
  end_user_phone text not null,
  open_link_url text not null,
  retailer_pickup_ref text,
  payload_limit json,
  cancel_reason text,
  bot_label text,
  exception_messages json not null,
  idempotency_key text,
  comparison text not null,
  created_at_ms bigint not null,
  number bigserial not null,
  status text not null,
  starts_at_ms bigint not null,
  ends_at_ms bigint not null,
  updated_at_ms bigint not null
);

create unique index if not exists reservations_key
  on reservations (environment, organization_id, idempotency_key) where idempotency_key is not null;

create index if not exists reservations_newest on reservations (environment, organization_id, number);

create index if not exists reservations_open
  on reservations (environment, zone_id, ends_at_ms) where status not in ('completed', 'canceled');

create table if not exists bot_reports (
  id bigserial primary key,
  reservation_id text not null,
  status text not null,
  label text,
  reason text,
  occurred_at_ms bigint not null,
  received_at_ms bigint not null,
  is_applied boolean not null
);

create index if not exists bot_reports_reservation on bot_reports (reservation_id, id);

create table if not exists open_link_bodies (
  actor text primary key,
  reservation_id text not null,
  body text not null
);

create index if not exists open_link_bodies_reservation on open_link_bodies (reservation_id);
