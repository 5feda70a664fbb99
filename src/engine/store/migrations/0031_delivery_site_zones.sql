-- Old code may run beside this.
alter table delivery_sites add column if not exists timezone text;
update delivery_sites set timezone = sites.timezone from sites
  where sites.environment = delivery_sites.environment and sites.site_id = delivery_sites.site_id
    and delivery_sites.timezone is null;
-- The demo's vehicle of production is played from now on.
update vehicles set is_synthetic = true where environment = 'production' and vehicle_id = 'veh_domain_north';
