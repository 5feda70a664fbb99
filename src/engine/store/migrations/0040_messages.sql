-- Old code may run beside this.
create table if not exists messages (
  message_id text primary key,
  number bigserial not null,
  channel text not null,
  purpose text not null,
  environment text,
  organization_id text,
  recipient text not null,
  subject text,
  sealed_text text not null,
  status text not null,
  attempts integer not null,
  due_at_ms bigint not null,
  reason text,
  created_at_ms bigint not null,
  ended_at_ms bigint
);

create index if not exists messages_due on messages (channel, due_at_ms) where status = 'pending';

create index if not exists messages_newest on messages (channel, number);

create index if not exists messages_created on messages (created_at_ms);

create table if not exists inbound_messages (
  inbound_id text primary key,
  received_at_ms bigint not null
);

create index if not exists inbound_messages_received on inbound_messages (received_at_ms);
