-- Old code may run beside this. It would play a course as a plain move of the clock, and sends events in spite of an answer for receivers: no course may be started until every node is new.
alter table clock_moves add column if not exists course text;

create table if not exists course_runs (
  move_id text primary key,
  organization_id text not null,
  subject_id text not null,
  course json not null,
  status text not null,
  step integer not null,
  number integer not null,
  scenario_ms bigint not null,
  base_ms bigint not null,
  refusal text,
  started_at_ms bigint not null
);

create index if not exists course_runs_started on course_runs (started_at_ms);

create table if not exists course_steps (
  move_id text not null,
  number integer not null,
  step integer not null,
  at_ms bigint not null,
  outcome text not null,
  code text,
  taken_at_ms bigint not null,
  primary key (move_id, number)
);

create index if not exists course_steps_taken on course_steps (taken_at_ms);

create table if not exists receiver_answers (
  subject_id text primary key,
  status integer not null
);
