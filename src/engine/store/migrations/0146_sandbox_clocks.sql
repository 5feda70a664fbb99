-- Old code may run beside this. Groups that it starts live on real time, and it runs groups of a moved clock by real time: no clock may be moved until every node is new.
create table if not exists sandbox_clocks (
  organization_id text primary key,
  version integer not null,
  offset_ms bigint not null,
  stands_at_ms bigint,
  stands_since_ms bigint,
  move_id text,
  changed_at_ms bigint not null
);

create table if not exists clock_moves (
  move_id text primary key,
  organization_id text not null,
  node_id text not null,
  status text not null,
  was_standing boolean not null,
  before_offset_ms bigint not null,
  from_ms bigint not null,
  to_ms bigint not null,
  at_ms bigint not null,
  entries integer not null,
  turns integer not null,
  started_at_ms bigint not null,
  ended_at_ms bigint
);

create index if not exists clock_moves_running on clock_moves (node_id) where status = 'running';
create index if not exists clock_moves_started on clock_moves (started_at_ms);

create table if not exists clock_move_turns (
  number bigserial primary key,
  move_id text not null,
  instant_ms bigint not null,
  group_address text not null,
  input text not null,
  event text not null,
  outcome text not null,
  taken_at_ms bigint not null
);

create index if not exists clock_move_turns_move on clock_move_turns (move_id, number);
create index if not exists clock_move_turns_taken on clock_move_turns (taken_at_ms);

alter table groups add column if not exists clock text;
alter table mailbox add column if not exists clock text;
alter table mailbox add column if not exists lease_until_ms bigint;

-- Vehicles are shared by organizations and stay on real time.
update groups set clock = case kind
    when 'reservation' then (select r.organization_id from reservations r where r.reservation_id = split_part(groups.address, '/', 2))
    when 'delivery' then (select d.organization_id from deliveries d where d.delivery_id = split_part(groups.address, '/', 2))
    when 'webhook-endpoint' then (
      select e.organization_id from webhook_endpoints e where e.webhook_id = split_part(groups.address, '/', 2))
    when 'webhook-delivery' then (
      select e.organization_id from webhook_deliveries d join webhook_endpoints e on e.webhook_id = d.webhook_id
      where d.delivery_id = split_part(groups.address, '/', 2))
  end
where environment = 'sandbox' and clock is null;

update mailbox set clock = g.clock from groups g where g.address = mailbox.group_address and g.clock is not null and mailbox.clock is null;

create index if not exists mailbox_clock on mailbox (clock, due_ms) where clock is not null;
create index if not exists mailbox_leases on mailbox (clock, lease_until_ms) where clock is not null and lease_until_ms is not null;
