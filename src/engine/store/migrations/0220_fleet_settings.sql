-- Old code may run beside this: it adds a table that old code does not use.
-- How the compartments of a fleet's vehicles are opened; the secret is sealed.
create table if not exists fleet_settings (
  environment text not null,
  fleet_id text not null,
  open_url text,
  open_secret text,
  instruction text,
  updated_at_ms bigint not null,
  primary key (environment, fleet_id)
);
