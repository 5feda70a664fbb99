-- Old code may run beside this.
create table if not exists operator_sessions (
  token_hash text primary key,
  operator_token_id text not null,
  created_at_ms bigint not null,
  ends_at_ms bigint not null
);

create index if not exists operator_sessions_end on operator_sessions (ends_at_ms);

create table if not exists operator_audit (
  number bigserial primary key,
  environment text not null,
  at_ms bigint not null,
  operator_token_id text not null,
  actor text not null,
  event_type text not null,
  outcome text not null,
  code text,
  revision integer
);

create index if not exists operator_audit_list on operator_audit (environment, number desc);
