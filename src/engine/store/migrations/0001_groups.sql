-- Beside this schema no other code runs: it is the first.
create table if not exists groups (
  address text primary key,
  kind text not null,
  revision integer not null,
  instant_ms bigint not null,
  occurred_us bigint not null,
  head text not null,
  actors json not null,
  is_settled boolean not null,
  stopped_because text
);

create table if not exists mailbox (
  id bigserial primary key,
  group_address text not null,
  kind text not null check (kind in ('timer', 'message')),
  key text not null,
  to_address text not null,
  event json,
  start json,
  due_ms bigint not null,
  instant_ms bigint not null,
  cause json not null,
  unique (group_address, key),
  check ((event is null) <> (start is null))
);

create index if not exists mailbox_due on mailbox (due_ms);

create table if not exists journal (
  group_address text not null,
  revision integer not null,
  position bigserial not null,
  instant_ms bigint not null,
  text text not null,
  hash text not null,
  primary key (group_address, revision)
);

create unique index if not exists journal_position on journal (position);
