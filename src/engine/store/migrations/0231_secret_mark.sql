-- Old code may run beside this.
-- One row, sealed by the first node that starts: a node with another secret does not open it, and does not start.
create table if not exists secret_mark (
  is_one boolean primary key default true check (is_one),
  sealed text not null
);
