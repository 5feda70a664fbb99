-- Old code may run beside this: it writes rows of production. It would take errands of the sandbox for production's, so no test
-- number is added until every node is new (src/OPERATIONS.md, "Upgrade and roll back").
alter table linked_users add column if not exists organization_id text;
alter table courier_orders add column if not exists organization_id text;
alter table courier_payments add column if not exists is_test boolean not null default false;

create index if not exists linked_users_organization on linked_users (organization_id, number)
  where organization_id is not null;
create index if not exists courier_orders_organization on courier_orders (organization_id, created_at_ms, delivery_id)
  where organization_id is not null;
