-- Old code may run beside this: it adds a table that old code does not use.
-- Calls of operations to the runners of a site; their states are groups.
create table if not exists runner_calls (
  call_id text primary key,
  number bigserial not null,
  environment text not null,
  site_id text not null,
  reservation_id text,
  message text,
  caller_name text not null,
  called_at_ms bigint not null,
  ends_at_ms bigint not null
);

create index if not exists runner_calls_site on runner_calls (environment, site_id, called_at_ms);
create index if not exists runner_calls_age on runner_calls (called_at_ms);
