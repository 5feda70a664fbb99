-- Old code may run beside this.
create index if not exists operator_audit_age on operator_audit (at_ms);
