-- Old code may run beside this.
create table if not exists load_photos (
  photo_id text primary key,
  reservation_id text not null,
  environment text not null,
  media_type text not null,
  bytes bytea not null,
  created_at_ms bigint not null
);

create index if not exists load_photos_reservation on load_photos (reservation_id);

create index if not exists load_photos_oldest on load_photos (environment, created_at_ms);

create table if not exists environment_policies (
  environment text primary key,
  changes json not null
);

alter table reservations add column if not exists task_staging_at_ms bigint;

create index if not exists reservations_open_tasks
  on reservations (environment, zone_id, task_staging_at_ms, number) where task_staging_at_ms is not null;
