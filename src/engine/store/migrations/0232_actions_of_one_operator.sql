-- Old code may run beside this: it adds an index alone.
-- The audit log of one operator: the phones of runners and the customers at the door write most of its lines.
create index if not exists operator_actions_actor on operator_actions (environment, actor_id, number);
