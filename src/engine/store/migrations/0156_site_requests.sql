-- Old code may run beside this.
create table if not exists site_requests (
  request_id text primary key,
  number bigserial not null,
  organization_id text not null,
  site_id text not null,
  requested_by text not null,
  text text not null,
  status text not null,
  requested_at_ms bigint not null,
  closed_at_ms bigint,
  answer text
);

create index if not exists site_requests_site on site_requests (site_id, number);
create index if not exists site_requests_open on site_requests (number) where status = 'open';
