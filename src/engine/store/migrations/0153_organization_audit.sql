-- Old code may run beside this: it does not know the table.
create table if not exists organization_audit (
  number bigserial primary key,
  organization_id text not null,
  at_ms bigint not null,
  actor_type text not null,
  actor_id text,
  action text not null,
  environment text,
  subject_id text,
  facts json not null
);

create index if not exists organization_audit_newest on organization_audit (organization_id, number);
create index if not exists organization_audit_age on organization_audit (at_ms);
