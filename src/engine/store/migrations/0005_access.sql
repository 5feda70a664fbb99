-- Old code may run beside this.
create table if not exists organizations (
  organization_id text primary key,
  name text not null,
  is_active boolean not null,
  is_fleet_partner boolean not null,
  environments json not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null
);

create table if not exists api_keys (
  key_id text primary key,
  number bigserial not null,
  organization_id text not null,
  environment text not null,
  permissions json not null,
  hash text not null unique,
  last_four text not null,
  created_at_ms bigint not null,
  expires_at_ms bigint,
  revoked_at_ms bigint
);

create index if not exists api_keys_organization on api_keys (organization_id, number);

create table if not exists request_counts (
  bucket text primary key,
  starts_at_ms bigint not null,
  count integer not null
);
