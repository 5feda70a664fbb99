-- Old code may run beside this.
create table if not exists portal_accounts (
  account_id text primary key,
  number bigserial not null,
  organization_id text not null,
  role text not null,
  email text not null unique,
  name text not null,
  password_hash text not null,
  created_at_ms bigint not null
);

create index if not exists portal_accounts_organization on portal_accounts (organization_id, number);

create table if not exists portal_sessions (
  session_id text primary key,
  token_hash text not null unique,
  account_id text not null,
  environment text not null,
  user_agent text not null,
  created_at_ms bigint not null,
  seen_at_ms bigint not null,
  ends_at_ms bigint not null
);

create index if not exists portal_sessions_account on portal_sessions (account_id, seen_at_ms);

create index if not exists portal_sessions_end on portal_sessions (ends_at_ms);

create table if not exists portal_challenges (
  challenge_id text primary key,
  number bigserial not null,
  kind text not null,
  token_hash text not null unique,
  email text not null,
  code_hash text,
  tries_left integer not null,
  organization_id text,
  role text,
  details json not null,
  created_at_ms bigint not null,
  ends_at_ms bigint not null
);

create index if not exists portal_challenges_email on portal_challenges (kind, email);

create index if not exists portal_challenges_organization on portal_challenges (organization_id, number)
  where organization_id is not null;

create index if not exists portal_challenges_end on portal_challenges (ends_at_ms);

create table if not exists portal_attempts (
  bucket text primary key,
  starts_at_ms bigint not null,
  count integer not null
);

create index if not exists portal_attempts_start on portal_attempts (starts_at_ms);

create table if not exists portal_profiles (
  organization_id text primary key,
  contact_email text not null,
  updated_at_ms bigint not null
);

create table if not exists access_requests (
  request_id text primary key,
  number bigserial not null,
  organization_id text not null,
  requested_by text not null,
  requested_at_ms bigint not null,
  due_at_ms bigint not null,
  status text not null,
  decided_at_ms bigint,
  decided_by text,
  reason text
);

create unique index if not exists access_requests_pending
  on access_requests (organization_id) where status = 'pending';

create index if not exists access_requests_organization on access_requests (organization_id, number);

create index if not exists access_requests_due on access_requests (status, due_at_ms);
