-- Old code may run beside this: triggers update the table after every write to vehicles, deliveries and fixes.
-- What decisions ask of a fleet, so that none has to read all its vehicles. Everything here is derived from the three tables.
-- A statement must not have a semicolon at the end of a line inside it; so functions have theirs before the next word.
--
-- `spot`: near the last position, not exactly there: it is written only when a vehicle is more than 0.0005 degrees away from it,
-- so that one that stands still or reports every second writes little. Null at the depot, and where no position is known.
-- `spot_ms`: when a fix that chose or confirmed the spot was received. It is renewed once a day, so a purge cannot take away the
-- spot of a vehicle that reports at the same moment.
-- `patch`: each fleet, and in it each number of runs online and offline, has its own patch of a plane, 1,000 degrees from the
-- next. So the nearest points of a patch are found by one index, whatever other fleets and busy vehicles stand there.
create table if not exists vehicle_pool (
  vehicle_id text primary key,
  fleet_id text not null,
  is_online boolean not null,
  open_runs integer not null,
  starts_at_depot boolean not null,
  spot_latitude double precision,
  spot_longitude double precision,
  spot_ms bigint,
  patch point generated always as (
    case when spot_latitude is null then null else point(
      spot_longitude + 1000 * (hashtext(fleet_id) & 65535)::double precision,
      spot_latitude + 1000 * (open_runs + case when is_online then 0 else 100000 end)::double precision
    ) end
  ) stored
);

create index if not exists vehicle_pool_patch on vehicle_pool using gist (patch);
create index if not exists vehicle_pool_runs on vehicle_pool (fleet_id, is_online, open_runs);
create index if not exists vehicle_pool_depot on vehicle_pool (fleet_id, is_online, open_runs, vehicle_id collate "C")
  where spot_latitude is null;

create or replace function vehicle_pool_last_fix(of_vehicle text)
returns table (latitude double precision, longitude double precision, received_at_ms bigint) language sql stable as $$
  select f.latitude, f.longitude, f.received_at_ms from vehicle_fixes f where f.vehicle_id = of_vehicle
  order by f.recorded_at_ms desc, f.sequence desc, f.id desc limit 1
$$;

-- The vehicles of a patch that are nearest to a place, and the first by id of those that belong to the patch and have no spot. The
-- planner may neither sort nor read the table: without statistics it takes a patch for a few rows, and reads it all.
create or replace function vehicle_pool_nearest(
  of_fleet text, online boolean, runs integer, latitude double precision, longitude double precision, rows_max integer
) returns table (vehicle_id text, is_online boolean, open_runs integer, degrees double precision)
language plpgsql stable set enable_sort = off set enable_bitmapscan = off set enable_seqscan = off as $$ declare
  x double precision := 1000 * (hashtext(of_fleet) & 65535)::double precision; -- as in `patch`
  y double precision := 1000 * (runs + case when online then 0 else 100000 end)::double precision; begin return query
  (select p.vehicle_id, p.is_online, p.open_runs, p.patch <-> point(x + longitude, y + latitude)
    from vehicle_pool p
    where p.patch <@ box(point(x - 500, y - 500), point(x + 500, y + 500))
      and p.fleet_id = of_fleet and p.is_online = online and p.open_runs = runs
    order by p.patch <-> point(x + longitude, y + latitude)
    limit rows_max)
  union all
  (select p.vehicle_id, p.is_online, p.open_runs, null
    from vehicle_pool p
    where p.fleet_id = of_fleet and p.is_online = online and p.open_runs = runs and p.spot_latitude is null
    order by p.vehicle_id collate "C"
    limit rows_max); end
$$;

create or replace function vehicle_pool_on_vehicle() returns trigger language plpgsql as $$ begin
  if tg_op = 'UPDATE' then
    update vehicle_pool set is_online = new.is_online where vehicle_id = new.vehicle_id; return null; end if; insert into vehicle_pool (vehicle_id, fleet_id, is_online, open_runs, starts_at_depot, spot_latitude, spot_longitude, spot_ms)
  select new.vehicle_id, new.fleet_id, new.is_online,
    (select count(*) from deliveries d where d.fleet_id = new.fleet_id and d.vehicle_id = new.vehicle_id
      and d.status not in ('COMPLETED', 'CANCELLED')),
    new.is_synthetic and new.environment = 'sandbox', fix.latitude, fix.longitude, fix.received_at_ms
  from (select 1) as one
  left join lateral vehicle_pool_last_fix(new.vehicle_id) fix on not (new.is_synthetic and new.environment = 'sandbox')
  on conflict (vehicle_id) do nothing; return null; end
$$;

create or replace function vehicle_pool_on_delivery() returns trigger language plpgsql as $$ begin
  if tg_op <> 'INSERT' and old.status not in ('COMPLETED', 'CANCELLED') then
    update vehicle_pool set open_runs = open_runs - 1 where vehicle_id = old.vehicle_id and fleet_id = old.fleet_id; end
  if; if tg_op <> 'DELETE' and new.status not in ('COMPLETED', 'CANCELLED') then
    update vehicle_pool set open_runs = open_runs + 1 where vehicle_id = new.vehicle_id and fleet_id = new.fleet_id; end
  if; return null; end
$$;

create or replace function vehicle_pool_on_fix() returns trigger language plpgsql as $$ begin
  update vehicle_pool
  set spot_latitude = new.latitude, spot_longitude = new.longitude, spot_ms = new.received_at_ms
  where vehicle_id = new.vehicle_id and not starts_at_depot
    and (spot_latitude is null or abs(spot_latitude - new.latitude) > 0.0005 or abs(spot_longitude - new.longitude) > 0.0005
      or spot_ms < new.received_at_ms - 86400000)
    and not exists (select 1 from vehicle_fixes f where f.vehicle_id = new.vehicle_id
      and (f.recorded_at_ms > new.recorded_at_ms or (f.recorded_at_ms = new.recorded_at_ms and f.sequence > new.sequence))); return null; end
$$;

create or replace function vehicle_pool_on_purge() returns trigger language plpgsql as $$ begin
  update vehicle_pool p
  set spot_latitude = fix.latitude, spot_longitude = fix.longitude, spot_ms = fix.received_at_ms
  from (select vehicle_id, max(received_at_ms) as received_at_ms from gone group by vehicle_id) purged
  left join lateral vehicle_pool_last_fix(purged.vehicle_id) fix on true
  where p.vehicle_id = purged.vehicle_id and p.spot_ms <= purged.received_at_ms; return null; end
$$;

create or replace trigger vehicle_pool_vehicle_new after insert on vehicles
  for each row execute function vehicle_pool_on_vehicle();
create or replace trigger vehicle_pool_vehicle after update of is_online on vehicles
  for each row when (old.is_online is distinct from new.is_online) execute function vehicle_pool_on_vehicle();
create or replace trigger vehicle_pool_delivery_new after insert or delete on deliveries
  for each row execute function vehicle_pool_on_delivery();
create or replace trigger vehicle_pool_delivery after update of status, vehicle_id on deliveries
  for each row when (
    old.vehicle_id <> new.vehicle_id
    or (old.status in ('COMPLETED', 'CANCELLED')) <> (new.status in ('COMPLETED', 'CANCELLED'))
  ) execute function vehicle_pool_on_delivery();
create or replace trigger vehicle_pool_fix after insert on vehicle_fixes
  for each row execute function vehicle_pool_on_fix();
create or replace trigger vehicle_pool_purge after delete on vehicle_fixes
  referencing old table as gone for each statement execute function vehicle_pool_on_purge();

insert into vehicle_pool (vehicle_id, fleet_id, is_online, open_runs, starts_at_depot, spot_latitude, spot_longitude, spot_ms)
select v.vehicle_id, v.fleet_id, v.is_online,
  (select count(*) from deliveries d where d.fleet_id = v.fleet_id and d.vehicle_id = v.vehicle_id
    and d.status not in ('COMPLETED', 'CANCELLED')),
  v.is_synthetic and v.environment = 'sandbox', fix.latitude, fix.longitude, fix.received_at_ms
from vehicles v
left join lateral vehicle_pool_last_fix(v.vehicle_id) fix on not (v.is_synthetic and v.environment = 'sandbox')
on conflict (vehicle_id) do nothing;
