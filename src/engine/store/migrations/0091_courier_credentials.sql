-- Old code may run beside this.
alter table courier_payments add column if not exists credential_no integer not null default 0;

create index if not exists courier_orders_holding on courier_orders (user_id, delivery_id)
  where phase in ('held', 'authorizing', 'capturing');
drop index if exists courier_orders_held;
