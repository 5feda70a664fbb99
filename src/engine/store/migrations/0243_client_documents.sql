-- Old code may run beside this: it does not read the column, and the clients that have it are found by their id alone.
alter table oauth_clients add column if not exists document_ends_at_ms bigint;
