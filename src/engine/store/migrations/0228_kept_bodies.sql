-- Old code may run beside this: it adds tables that old code does not use.
-- Requests of commands and bodies of outbound calls, masked, for the inspector.
create table if not exists kept_requests (
  request_id text primary key,
  environment text not null,
  organization_id text not null,
  at_ms bigint not null,
  method text not null,
  route text not null,
  status integer not null,
  code text,
  key_id text not null,
  last_four text not null,
  sent_id text,
  sent text,
  answered text,
  is_cut boolean not null
);

create index if not exists kept_requests_oldest on kept_requests (at_ms);

create table if not exists kept_exchanges (
  actor text not null,
  attempt integer not null,
  at_ms bigint not null,
  status integer,
  sent text,
  answered text,
  is_cut boolean not null,
  primary key (actor, attempt)
);

create index if not exists kept_exchanges_oldest on kept_exchanges (at_ms);
