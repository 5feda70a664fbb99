-- Old code may run beside this: it does not know the table.
create table if not exists terminal_codes (
  handle text primary key,
  sealed_code text not null,
  created_at_ms bigint not null
);

create index if not exists terminal_codes_created on terminal_codes (created_at_ms);
