-- Old code may run beside this.
create index if not exists deliveries_personal on deliveries (coalesce(completed_at_ms, cancelled_at_ms))
  where customer ->> 'phone' <> '+10000000000';

create index if not exists quotes_personal on quotes (expires_at_ms)
  where customer ->> 'phone' <> '+10000000000';

create index if not exists vehicle_fixes_received on vehicle_fixes (received_at_ms);
