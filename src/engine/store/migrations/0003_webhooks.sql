-- Old code may run beside this.
create table if not exists webhook_endpoints (
  webhook_id text primary key,
  number bigserial not null,
  organization_id text not null,
  environment text not null,
  url text not null,
  subscribed_events json not null,
  is_active boolean not null,
  secret text not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null
);

create index if not exists webhook_endpoints_scope on webhook_endpoints (environment, organization_id, number);

create table if not exists webhook_bodies (
  event_id text primary key,
  event_type text not null,
  reservation_id text not null,
  body text not null,
  created_at_ms bigint not null
);

create table if not exists webhook_deliveries (
  delivery_id text primary key,
  webhook_id text not null,
  event_id text not null,
  reservation_id text not null
);

create index if not exists webhook_deliveries_event on webhook_deliveries (event_id);
