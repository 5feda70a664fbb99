-- Old code may run beside this: it neither reads nor writes the column.
alter table courier_payments add column if not exists failure text;
