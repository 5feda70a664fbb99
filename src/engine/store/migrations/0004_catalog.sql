-- Old code may run beside this.
create table if not exists sites (
  environment text not null,
  site_id text not null,
  name text not null,
  timezone text,
  primary key (environment, site_id)
);

create table if not exists zones (
  environment text not null,
  zone_id text not null,
  site_id text not null,
  name text not null,
  latitude double precision,
  longitude double precision,
  has_runner boolean not null,
  primary key (environment, zone_id)
);

create index if not exists zones_site on zones (environment, site_id);

create table if not exists stalls (
  environment text not null,
  stall_id text not null,
  zone_id text not null,
  label text,
  is_active boolean not null,
  primary key (environment, stall_id)
);

create index if not exists stalls_zone on stalls (environment, zone_id);

create table if not exists retailers (
  environment text not null,
  retailer_id text not null,
  name text not null,
  logo_url text,
  support_phone text,
  pickup_requirements text,
  primary key (environment, retailer_id)
);

create table if not exists zone_retailers (
  environment text not null,
  zone_id text not null,
  retailer_id text not null,
  primary key (environment, zone_id, retailer_id)
);

create table if not exists grants (
  environment text not null,
  organization_id text not null,
  zone_id text not null,
  retailer_id text not null,
  primary key (environment, organization_id, zone_id, retailer_id)
);
