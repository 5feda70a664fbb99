-- Old code may run beside this: it does not know these tables.
create table if not exists runner_pairings (
  code_hash text primary key,
  environment text not null,
  site_id text not null,
  runner_id text not null,
  runner_name text not null,
  made_at_ms bigint not null,
  ends_at_ms bigint not null
);

create index if not exists runner_pairings_age on runner_pairings (ends_at_ms);

create table if not exists runner_phones (
  phone_id text primary key,
  number bigserial not null,
  environment text not null,
  site_id text not null,
  runner_id text not null,
  runner_name text not null,
  token_hash text not null,
  paired_at_ms bigint not null,
  ends_at_ms bigint not null
);

create unique index if not exists runner_phones_token on runner_phones (token_hash);
create index if not exists runner_phones_site on runner_phones (environment, site_id, ends_at_ms);
create index if not exists runner_phones_age on runner_phones (ends_at_ms);

create table if not exists runner_moves (
  phone_id text not null,
  move_key text not null,
  number bigserial not null,
  environment text not null,
  reservation_id text not null,
  runner_id text not null,
  move text not null,
  outcome text not null,
  at_ms bigint not null,
  phone_at_ms bigint,
  primary key (phone_id, move_key)
);

create index if not exists runner_moves_reservation on runner_moves (environment, reservation_id, number);
create index if not exists runner_moves_age on runner_moves (at_ms);
