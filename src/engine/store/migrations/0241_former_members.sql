-- Old code may run beside this: it notes no former member, whose sign-in then says that the password is wrong.
create table if not exists portal_former_members (
  account_id text not null,
  organization_id text not null,
  name text not null,
  left_at_ms bigint not null,
  primary key (account_id, organization_id)
);

create index if not exists portal_former_members_organization on portal_former_members (organization_id);
create index if not exists portal_former_members_age on portal_former_members (left_at_ms);

create table if not exists portal_ended_accounts (
  email text primary key,
  password_hash text not null,
  organization_id text not null,
  ended_at_ms bigint not null
);

create index if not exists portal_ended_accounts_age on portal_ended_accounts (ended_at_ms);
