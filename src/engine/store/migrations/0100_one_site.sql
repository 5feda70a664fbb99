-- not rolling: an older program reads and writes the table of delivery sites, which is gone
alter table sites add column if not exists organization_id text;
alter table sites add column if not exists is_active boolean not null default true;
alter table sites add column if not exists fleet_id text;
alter table sites add column if not exists address json;
alter table sites add column if not exists place json;
alter table sites add column if not exists area json;
alter table sites add column if not exists price_cents integer;
alter table sites add column if not exists ready_ahead_ms_max bigint not null default 7200000;
alter table sites add column if not exists has_supervisor boolean not null default false;

-- Made again where this file has run before, so that it may run twice.
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
  has_supervisor boolean not null,
  timezone text
);

-- A site in both tables keeps the name and the time zone that bookings and analytics had.
insert into sites (environment, site_id, name, timezone, organization_id, is_active, fleet_id, place, area,
    price_cents, ready_ahead_ms_max, has_supervisor)
  select environment, site_id, name, timezone, organization_id, is_active, fleet_id, place, area,
    price_cents, ready_ahead_ms_max, has_supervisor from delivery_sites
  on conflict (environment, site_id) do update set
    timezone = coalesce(sites.timezone, excluded.timezone),
    organization_id = excluded.organization_id,
    is_active = excluded.is_active,
    fleet_id = excluded.fleet_id,
    place = excluded.place,
    area = excluded.area,
    price_cents = excluded.price_cents,
    ready_ahead_ms_max = excluded.ready_ahead_ms_max,
    has_supervisor = excluded.has_supervisor;

drop table delivery_sites;

-- Quotes and deliveries name their site by its id alone.
create unique index if not exists sites_delivering on sites (site_id) where organization_id is not null;
create index if not exists sites_organization on sites (organization_id, environment)
  where organization_id is not null;
alter table sites drop constraint if exists sites_owner_has_fleet;
alter table sites add constraint sites_owner_has_fleet check (organization_id is null or fleet_id is not null);

alter table access_requests add column if not exists sites json not null default '[]';
