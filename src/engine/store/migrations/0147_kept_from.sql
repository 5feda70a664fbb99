-- Old code may run beside this.
alter table webhook_bodies add column if not exists kept_from_ms bigint;
alter table deliveries add column if not exists kept_from_ms bigint;
alter table quotes add column if not exists kept_from_ms bigint;

create index if not exists webhook_bodies_kept on webhook_bodies (kept_from_ms) where kept_from_ms is not null;
create index if not exists deliveries_kept on deliveries (kept_from_ms) where kept_from_ms is not null;
create index if not exists quotes_kept on quotes (kept_from_ms) where kept_from_ms is not null;
