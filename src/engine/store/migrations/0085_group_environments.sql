-- Old code may run beside this. What it starts has no environment and is not listed by the inspector.
alter table groups add column if not exists number bigserial not null;
alter table groups add column if not exists environment text;

-- Errands are production's alone.
update groups set environment = case kind
    when 'reservation' then (select r.environment from reservations r where r.reservation_id = split_part(groups.address, '/', 2))
    when 'delivery' then (select d.environment from deliveries d where d.delivery_id = split_part(groups.address, '/', 2))
    when 'vehicle' then (select v.environment from vehicles v where v.vehicle_id = split_part(groups.address, '/', 2))
    when 'webhook-endpoint' then (
      select e.environment from webhook_endpoints e where e.webhook_id = split_part(groups.address, '/', 2))
    when 'webhook-delivery' then (
      select e.environment from webhook_deliveries d join webhook_endpoints e on e.webhook_id = d.webhook_id
      where d.delivery_id = split_part(groups.address, '/', 2))
    when 'courier-order' then 'production'
  end
where environment is null;

create index if not exists groups_list on groups (environment, number desc);
create index if not exists groups_stopped on groups (environment, number desc) where stopped_because is not null;
