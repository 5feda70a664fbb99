-- Old code may run beside this: it does not know this table, and its events are not kept for developers.
create table if not exists sandbox_events (
  event_id text primary key,
  number bigserial not null,
  organization_id text not null,
  area text not null,
  event_type text not null,
  subject_id text not null,
  body text not null,
  created_at_ms bigint not null
);

create index if not exists sandbox_events_order on sandbox_events (organization_id, number);
create index if not exists sandbox_events_oldest on sandbox_events (created_at_ms);
