-- Old code may run beside this: its messages have no subject and are not shown with their delivery.
alter table messages add column if not exists subject_id text;

create index if not exists messages_subject on messages (subject_id, number) where subject_id is not null;

create index if not exists webhook_deliveries_subject on webhook_deliveries (reservation_id, number);
