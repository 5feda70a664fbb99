-- Old code may run beside this; it sends open links without a signature.
create table if not exists open_link_secrets (
  environment text not null,
  organization_id text not null,
  secret text not null,
  updated_at_ms bigint not null,
  primary key (environment, organization_id)
);
