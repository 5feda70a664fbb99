-- Old code may run beside this: it reads and writes the other columns only.
alter table sandbox_milestones add column if not exists done_by json;
alter table access_requests add column if not exists site_ids json not null default '[]';
