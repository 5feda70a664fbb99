-- Old code may run beside this.
create table if not exists courier_orders (
  delivery_id text primary key,
  user_id text not null,
  fleet_id text not null,
  details json not null,
  phase text not null,
  payment_status text not null,
  hold_ends_at_ms bigint,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  ended_at_ms bigint,
  blanked boolean not null default false
);

create index if not exists courier_orders_held on courier_orders (user_id, delivery_id) where phase = 'held';
create index if not exists courier_orders_holds on courier_orders (fleet_id, hold_ends_at_ms)
  where phase in ('held', 'authorizing', 'capturing');
create index if not exists courier_orders_ended on courier_orders (ended_at_ms) where not blanked;

create table if not exists courier_payments (
  delivery_id text primary key,
  sealed_credential text,
  authorization_id text
);

create table if not exists courier_claims (
  user_id text not null,
  key text not null,
  tool text not null,
  digest text not null,
  delivery_id text,
  sealed_answer text,
  is_done boolean not null,
  lease_ends_at_ms bigint not null,
  at_ms bigint not null,
  primary key (user_id, key)
);

create index if not exists courier_claims_pending on courier_claims (delivery_id) where not is_done;
create index if not exists courier_claims_age on courier_claims (at_ms);

create table if not exists stores (
  store_id text primary key,
  name text not null,
  plain_name text not null,
  street text not null,
  zip text not null,
  place json not null,
  categories json not null,
  phone text,
  hours json,
  lead_time_ms bigint not null,
  kitchen_starts text not null,
  stall_hint text
);

create index if not exists stores_name on stores (plain_name);

alter table deliveries add column if not exists store_place json;
