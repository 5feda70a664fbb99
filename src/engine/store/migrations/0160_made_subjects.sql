-- Old code may run beside this: it does not know the column, and leaves what it made for a run open.
alter table course_runs add column if not exists is_made boolean not null default false;
