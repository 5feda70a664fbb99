-- Old code may run beside this.
create index if not exists webhook_deliveries_endpoint on webhook_deliveries (webhook_id);
