-- Old code may run beside this.
create table if not exists linked_users (
  user_id text primary key,
  number bigserial not null,
  phone_digest text not null unique,
  sealed_phone text,
  is_enabled boolean not null,
  enabled_at_ms bigint not null,
  disabled_at_ms bigint,
  linked_at_ms bigint
);

create index if not exists linked_users_disabled on linked_users (disabled_at_ms) where sealed_phone is not null;

create table if not exists oauth_clients (
  client_id text primary key,
  client_name text not null,
  redirect_uris json not null,
  created_at_ms bigint not null,
  first_token_at_ms bigint
);

create index if not exists oauth_clients_unused on oauth_clients (created_at_ms) where first_token_at_ms is null;

create table if not exists allowed_redirects (
  redirect_uri text primary key,
  number bigserial not null,
  allowed_at_ms bigint not null
);

create table if not exists connector_pause (
  id text primary key,
  paused_at_ms bigint not null
);

create table if not exists oauth_codes (
  code_hash text primary key,
  request_id text not null unique,
  client_id text not null,
  user_id text not null,
  redirect_uri text not null,
  code_challenge text not null,
  resource text not null,
  failures integer not null,
  family_id text,
  created_at_ms bigint not null
);

create index if not exists oauth_codes_created on oauth_codes (created_at_ms);

create table if not exists oauth_tokens (
  token_hash text primary key,
  kind text not null,
  family_id text not null,
  client_id text not null,
  user_id text not null,
  resource text not null,
  created_at_ms bigint not null,
  ends_at_ms bigint not null,
  revoked_at_ms bigint
);

create index if not exists oauth_tokens_family on oauth_tokens (family_id);

create index if not exists oauth_tokens_end on oauth_tokens (ends_at_ms);

create table if not exists linking_limits (
  bucket text primary key,
  at_ms bigint[] not null,
  is_taken boolean not null,
  ends_at_ms bigint not null
);

create index if not exists linking_limits_end on linking_limits (ends_at_ms);

create table if not exists sms_codes (
  phone_digest text primary key,
  sealed_code text not null,
  created_at_ms bigint not null
);

create index if not exists sms_codes_created on sms_codes (created_at_ms);
