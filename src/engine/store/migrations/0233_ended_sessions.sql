-- Old code may run beside this: it does not know the table, and the sign-in page then says no reason.
-- Why a session ended, by the hash of its value; kept for days.
create table if not exists ended_sessions (
  token_hash text primary key,
  reason text not null,
  ended_at_ms bigint not null
);

create index if not exists ended_sessions_age on ended_sessions (ended_at_ms);
