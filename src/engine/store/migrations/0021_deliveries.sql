-- Old code may run beside this.
create table if not exists delivery_sites (
  site_id text primary key,
  organization_id text not null,
  environment text not null,
  name text not null,
  is_active boolean not null,
  fleet_id text not null,
  place json,
  area json,
  price_cents integer,
  ready_ahead_ms_max bigint not null,
  has_supervisor boolean not null
);

create table if not exists quotes (
  site_id text not null,
  external_delivery_id text not null,
  terms json,
  unavailable_reason text,
  expires_at_ms bigint not null,
  created_at_ms bigint not null,
  ready_by_ms bigint not null,
  customer json not null,
  address json not null,
  place json not null,
  items json not null,
  pickup_instructions text,
  primary key (site_id, external_delivery_id)
);

create table if not exists deliveries (
  delivery_id text primary key,
  site_id text not null,
  organization_id text not null,
  environment text not null,
  fleet_id text not null,
  external_delivery_id text not null,
  comparison text not null,
  pickup_eta_ms bigint not null,
  delivery_eta_ms bigint not null,
  fee_cents integer not null,
  currency text not null,
  ready_by_ms bigint not null,
  customer json not null,
  address json not null,
  place json not null,
  items json not null,
  pickup_instructions text,
  cancellation_reason text,
  told_fix json,
  created_at_ms bigint not null,
  number bigserial not null,
  status text not null,
  vehicle_id text not null,
  completed_at_ms bigint,
  cancelled_at_ms bigint,
  updated_at_ms bigint not null,
  unique (site_id, external_delivery_id)
);

create index if not exists deliveries_list on deliveries (site_id, number desc);
create index if not exists deliveries_open on deliveries (fleet_id, vehicle_id)
  where status not in ('COMPLETED', 'CANCELLED');

create table if not exists vehicles (
  vehicle_id text primary key,
  fleet_id text not null,
  environment text not null,
  label text not null,
  is_synthetic boolean not null,
  is_online boolean not null
);

create index if not exists vehicles_fleet on vehicles (fleet_id, vehicle_id);

create table if not exists vehicle_fixes (
  id bigserial primary key,
  vehicle_id text not null,
  delivery_id text,
  latitude double precision not null,
  longitude double precision not null,
  recorded_at_ms bigint not null,
  received_at_ms bigint not null,
  speed_mps double precision,
  load text,
  sequence bigint
);

create index if not exists vehicle_fixes_vehicle on vehicle_fixes (vehicle_id, recorded_at_ms);
create index if not exists vehicle_fixes_delivery on vehicle_fixes (delivery_id, recorded_at_ms)
  where delivery_id is not null;

create table if not exists opt_outs (
  environment text not null,
  organization_id text not null,
  digest text not null,
  primary key (environment, organization_id, digest)
);

create table if not exists notices (
  notice_id text primary key,
  number bigserial not null,
  organization_id text not null,
  environment text not null,
  kind text not null,
  subject_id text not null,
  created_at_ms bigint not null
);

create index if not exists notices_scope on notices (environment, organization_id, number);
