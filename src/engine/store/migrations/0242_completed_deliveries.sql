-- Old code may run beside this: it reads and writes as before.
create index if not exists deliveries_completed on deliveries (site_id, completed_at_ms)
  where status = 'COMPLETED';
