-- Old code may run beside this: it refuses reservations to organizations that are enrolled in the sandbox alone.
alter table organizations add column if not exists is_sandbox_partner boolean not null default false;

alter table access_requests add column if not exists course text not null default 'deliveries';

create table if not exists partner_requests (
  request_id text primary key,
  number bigserial not null,
  kind text not null,
  organization_id text not null,
  requested_by text not null,
  requested_at_ms bigint not null,
  due_at_ms bigint not null,
  status text not null,
  decided_at_ms bigint,
  decided_by text,
  reason text,
  text text,
  sites json not null,
  site_ids json not null default '[]'
);

create unique index if not exists partner_requests_pending
  on partner_requests (organization_id, kind) where status = 'pending';
create index if not exists partner_requests_organization on partner_requests (organization_id, number);
create index if not exists partner_requests_due on partner_requests (status, due_at_ms);
