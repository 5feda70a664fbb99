-- Old code may run beside this: it neither reads nor writes the table and the column.
create table if not exists portal_memberships (
  account_id text not null,
  organization_id text not null,
  number bigserial not null,
  role text not null,
  created_at_ms bigint not null,
  primary key (account_id, organization_id)
);

create index if not exists portal_memberships_organization on portal_memberships (organization_id, number);

alter table portal_sessions add column if not exists organization_id text;
