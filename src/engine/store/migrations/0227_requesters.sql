-- Old code may run beside this: it adds a column that old code does not write.
-- Who asked for the command of an entry, as ids. It is not part of any hash.
alter table journal add column if not exists requester json;
