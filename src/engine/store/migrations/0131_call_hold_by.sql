-- Old code may run beside this.
-- What held calls: 'restore' or 'command'; null where an older program did.
alter table call_hold add column if not exists held_by text;
