-- Old code may run beside this: it does not know these tables. Until its nodes have stopped, they sign people in with the
-- password alone.
create table if not exists second_factors (
  account_id text primary key,
  sealed_secret text not null,
  created_at_ms bigint not null,
  confirmed_at_ms bigint,
  last_step bigint not null
);

create table if not exists recovery_codes (
  account_id text not null,
  code_hash text not null,
  primary key (account_id, code_hash)
);
