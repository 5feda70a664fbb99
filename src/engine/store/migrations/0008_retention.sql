-- Beside this schema older code must not end reservations: it would not note when, and their texts would stay.
create table if not exists reservation_endings (
  reservation_id text primary key,
  ended_at_ms bigint not null,
  open_links_purged boolean not null default false
);

create index if not exists reservation_endings_oldest on reservation_endings (ended_at_ms);

create index if not exists webhook_bodies_oldest on webhook_bodies (created_at_ms);

insert into reservation_endings (reservation_id, ended_at_ms)
  select reservation_id, updated_at_ms from reservations where status in ('completed', 'canceled')
  on conflict do nothing;
