-- not rolling: older programs do not know webhook-delivery@2 and open-link@2, and would stop their groups.
create table if not exists nodes (
  node_id text primary key,
  started_at_ms bigint not null,
  beats bigint not null default 0
);

alter table mailbox add column if not exists held_by text;

create index if not exists mailbox_held_by on mailbox (held_by, group_address) where held_by is not null;
