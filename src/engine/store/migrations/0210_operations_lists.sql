-- Old code may run beside this: it adds indexes alone.
-- The lists of operations read rows place by place, newest first, and errands newest first.
create index if not exists reservations_arrivals
  on reservations (environment, zone_id, starts_at_ms, reservation_id);
create index if not exists deliveries_of_site on deliveries (site_id, created_at_ms, delivery_id);
create index if not exists courier_orders_newest on courier_orders (created_at_ms, delivery_id);
