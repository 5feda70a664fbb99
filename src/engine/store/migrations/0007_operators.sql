-- Old code may run beside this.
create table if not exists operator_tokens (
  token_id text primary key,
  number bigserial not null,
  environment text not null,
  label text not null,
  hash text not null unique,
  last_four text not null,
  created_at_ms bigint not null,
  revoked_at_ms bigint
);

create index if not exists operator_tokens_environment on operator_tokens (environment, number);
