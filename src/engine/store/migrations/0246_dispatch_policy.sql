-- Old code may run beside this: it takes the nearest vehicle at every site until its node is new.
alter table sites add column if not exists dispatch_policy text not null default 'earliest_free';
create index if not exists sites_fleet on sites (fleet_id, site_id) where fleet_id is not null;
