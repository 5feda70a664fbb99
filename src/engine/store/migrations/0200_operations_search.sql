-- Old code may run beside this: it adds indexes alone.
-- The search of operations finds orders by number and by the last four digits of a phone number, newest first.
create index if not exists reservations_order on reservations (environment, lower(order_number), created_at_ms);
create index if not exists reservations_last_four on reservations (environment, right(end_user_phone, 4), created_at_ms);
create index if not exists deliveries_order on deliveries (environment, lower(external_delivery_id), created_at_ms);
create index if not exists deliveries_last_four
  on deliveries (environment, right(customer->>'phone', 4), created_at_ms);
