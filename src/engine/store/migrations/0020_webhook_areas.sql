-- Old code may run beside this.
alter table webhook_endpoints add column if not exists area text not null default 'reservations';
alter table webhook_endpoints add column if not exists site_id text;
alter table webhook_endpoints add column if not exists consecutive_failures integer not null default 0;
alter table webhook_endpoints add column if not exists disabled_at_ms bigint;
alter table webhook_endpoints add column if not exists disabled_reason text;
