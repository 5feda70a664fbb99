-- Old code may run beside this; a stay that it begins or ends is not counted.
create table if not exists stall_sessions (
  environment text not null,
  session_id text not null,
  site_id text not null,
  stall_id text,
  starts_at_ms bigint not null,
  ends_at_ms bigint,
  source text not null check (source in ('delivery', 'import', 'reservation')),
  primary key (environment, session_id),
  check (ends_at_ms >= starts_at_ms)
);

create index if not exists stall_sessions_begin
  on stall_sessions (environment, site_id, starts_at_ms) include (ends_at_ms);

create index if not exists stall_sessions_end
  on stall_sessions (environment, site_id, ends_at_ms) include (starts_at_ms);

create index if not exists stall_sessions_there
  on stall_sessions (environment, site_id, starts_at_ms) where ends_at_ms is null;

create table if not exists stall_quarters (
  environment text not null,
  site_id text not null,
  quarter_ms bigint not null,
  began integer not null,
  stay_ms bigint not null,
  occupied_ms bigint not null,
  throughout integer not null,
  primary key (environment, site_id, quarter_ms)
);
