-- Old code may run beside this; it does not know of the hold, so stop it before a restored database is served.
-- One row while calls to the outside are held, none otherwise.
create table if not exists call_hold (
  hold_no integer primary key default 1 check (hold_no = 1),
  since_ms bigint not null
);
