-- Old code may run beside this: it adds indexes alone.
-- The inspector lists and counts open groups, which are few among all that ever were.
create index if not exists groups_open on groups (environment, number desc) where not is_settled;
create index if not exists groups_open_of_kind on groups (environment, kind, number desc) where not is_settled;
