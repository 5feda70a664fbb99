-- Old code may run beside this: it writes these columns always, and reads no row that lacks them, because their callers have no key.
-- Requests of callers without an API key are kept too.
alter table kept_requests alter column organization_id drop not null;
alter table kept_requests alter column key_id drop not null;
alter table kept_requests alter column last_four drop not null;
