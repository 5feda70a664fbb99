-- Beside this schema older code must not complete deliveries: they would not be charged.
create table if not exists charges (
  delivery_id text primary key,
  number bigserial not null,
  organization_id text not null,
  site_id text not null,
  external_delivery_id text not null,
  fee_cents integer not null,
  currency text not null,
  completed_at_ms bigint not null
);

create index if not exists charges_newest on charges (number);

create index if not exists charges_site on charges (site_id, number);

insert into charges
    (delivery_id, organization_id, site_id, external_delivery_id, fee_cents, currency, completed_at_ms)
  select delivery_id, organization_id, site_id, external_delivery_id, fee_cents, currency, completed_at_ms
    from deliveries
    where environment = 'production' and status = 'COMPLETED' and completed_at_ms is not null
    order by completed_at_ms, number
  on conflict do nothing;
