-- Old code may run beside this; a redelivery that it picks up it sends under another delivery id.
alter table webhook_deliveries add column if not exists number bigserial not null;
alter table webhook_deliveries add column if not exists redelivery_of text;
alter table webhook_deliveries add column if not exists redelivered_at_ms bigint;

create index if not exists webhook_deliveries_log on webhook_deliveries (webhook_id, number);

create index if not exists webhook_deliveries_again on webhook_deliveries (redelivery_of)
  where redelivery_of is not null;

drop index if exists webhook_deliveries_endpoint;
