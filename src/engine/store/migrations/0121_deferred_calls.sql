-- not rolling: older programs do not let deferred calls go.
create table if not exists deferred_calls (
  group_address text primary key,
  endpoint text not null,
  number bigserial not null
);

create index if not exists deferred_calls_endpoint on deferred_calls (endpoint, number);
