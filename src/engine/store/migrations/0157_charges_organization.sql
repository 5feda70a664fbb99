-- Old code may run beside this.
create index if not exists charges_organization on charges (organization_id, number);
