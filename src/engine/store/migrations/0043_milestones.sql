-- Old code may run beside this.
create table if not exists sandbox_milestones (
  organization_id text not null,
  milestone text not null,
  at_ms bigint not null,
  primary key (organization_id, milestone)
);

create index if not exists deliveries_owner on deliveries (organization_id, environment, number desc);

create index if not exists delivery_sites_owner on delivery_sites (organization_id, environment);
