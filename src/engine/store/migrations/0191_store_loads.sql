-- Old code may run beside this: it adds a column with a default, and a table that old code does not use.
-- How long the last loads of a store took, for live estimates.
alter table deliveries add column if not exists at_store_at_ms bigint;

create table if not exists store_loads (
  site_id text primary key,
  took_ms json not null
);
