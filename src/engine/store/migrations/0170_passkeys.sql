-- Old code may run beside this: it does not know these tables. Until its nodes have stopped, they sign people with passkeys
-- alone in with the password alone.
create table if not exists passkeys (
  passkey_id text primary key,
  account_id text not null,
  credential_id text not null,
  name text not null,
  public_key text not null,
  counter bigint not null,
  transports json not null,
  is_synced boolean not null,
  created_at_ms bigint not null,
  used_at_ms bigint
);

create index if not exists passkeys_account on passkeys (account_id, created_at_ms);

create table if not exists passkey_challenges (
  account_id text not null,
  purpose text not null,
  challenge_hash text not null,
  ends_at_ms bigint not null,
  primary key (account_id, purpose)
);
