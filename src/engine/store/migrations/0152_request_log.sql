-- Old code may run beside this: it does not know these tables.
create table if not exists logged_calls (
  call_id text primary key,
  number bigserial not null,
  organization_id text not null,
  environment text not null,
  at_ms bigint not null,
  method text not null,
  route text not null,
  path text not null,
  status integer not null,
  code text,
  ms integer not null,
  request_id text not null,
  key_id text not null,
  last_four text not null
);

create index if not exists logged_calls_newest on logged_calls (organization_id, environment, number);
create index if not exists logged_calls_request on logged_calls (organization_id, environment, request_id);
create index if not exists logged_calls_oldest on logged_calls (at_ms);

create table if not exists logged_bodies (
  call_id text primary key,
  at_ms bigint not null,
  sent text,
  answered text,
  is_cut boolean not null
);

create index if not exists logged_bodies_oldest on logged_bodies (at_ms);
