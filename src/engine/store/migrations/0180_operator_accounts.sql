-- Old code may run beside this: it does not know these tables, and a token without a role is an administrator's.
-- Accounts of operators, apart from those of partners: links and challenges, second factors, sessions, and who did what.
create table if not exists operator_accounts (
  account_id text primary key,
  number bigserial not null,
  email text not null,
  name text not null,
  role text not null,
  site_ids json,
  password_hash text,
  factor_since_ms bigint,
  created_at_ms bigint not null,
  deactivated_at_ms bigint
);

create unique index if not exists operator_accounts_email_key on operator_accounts (email);

create table if not exists operator_second_factors (
  account_id text primary key,
  sealed_secret text not null,
  created_at_ms bigint not null,
  confirmed_at_ms bigint,
  last_step bigint not null
);

create table if not exists operator_recovery_codes (
  account_id text not null,
  code_hash text not null,
  primary key (account_id, code_hash)
);

create table if not exists operator_challenges (
  token_hash text primary key,
  kind text not null,
  account_id text not null,
  password_hash text,
  tries_left integer not null,
  ends_at_ms bigint not null
);

create index if not exists operator_challenges_account on operator_challenges (account_id, kind);
create index if not exists operator_challenges_age on operator_challenges (ends_at_ms);

create table if not exists operator_account_sessions (
  token_hash text primary key,
  environment text not null,
  account_id text not null,
  created_at_ms bigint not null,
  ends_at_ms bigint not null
);

create index if not exists operator_account_sessions_account on operator_account_sessions (account_id);
create index if not exists operator_account_sessions_age on operator_account_sessions (ends_at_ms);

create table if not exists operator_actions (
  number bigserial primary key,
  environment text not null,
  at_ms bigint not null,
  actor_type text not null,
  actor_id text,
  action text not null,
  subject_id text,
  outcome text not null
);

create index if not exists operator_actions_newest on operator_actions (environment, number);
create index if not exists operator_actions_age on operator_actions (at_ms);

alter table operator_tokens add column if not exists role text;
alter table operator_tokens add column if not exists site_ids json;
