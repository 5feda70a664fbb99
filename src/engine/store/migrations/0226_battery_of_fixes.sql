-- Old code may run beside this: it adds a column that old code does not write.
-- The charge of the vehicle's battery in percent, of vehicles that report it.
alter table vehicle_fixes add column if not exists battery_percent double precision;
