-- Old code may run beside this: it neither reads nor writes the table.
create table if not exists courier_store_orders (
  store_order text primary key,
  delivery_id text not null,
  at_ms bigint not null
);

create index if not exists courier_store_orders_age on courier_store_orders (at_ms);
