-- Old code may run beside this: it neither reads nor writes the columns and the table.
alter table api_keys add column if not exists label text;
alter table api_keys add column if not exists created_by text;

create table if not exists api_key_uses (
  key_id text primary key,
  organization_id text not null,
  used_at_ms bigint not null
);

create index if not exists api_key_uses_organization on api_key_uses (organization_id);
