/** A backup of a database inside of it: the rows of all tables, and the same rows in their place again. */

import { sql } from "drizzle-orm"
import type { Orm } from "../../engine/store/database.ts"

/** The backup replaces an earlier one. */
export async function keepRows(orm: Orm): Promise<void> {
  await orm.execute(KEEPING)
}

/** The rows are those of the backup. Sequences go on, as do those of a restored dump. */
export async function putRowsBack(orm: Orm): Promise<void> {
  await orm.transaction(async (open) => {
    // Triggers keep derived rows, which the backup has as well.
    await open.execute(sql`set local session_replication_role = replica`)
    await open.execute(PUTTING_BACK)
  })
  await orm.execute(sql`drop schema kept cascade`)
}

/** Every table but that of the migrations. */
const TABLES = `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations'`

const KEEPING = sql.raw(`do $$
  declare one record;
  begin
    drop schema if exists kept cascade;
    create schema kept;
    for one in ${TABLES} loop
      execute format('create table kept.%I as table public.%I', one.name, one.name);
    end loop;
  end $$`)

const PUTTING_BACK = sql.raw(`do $$
  declare
    one record;
    columns text;
  begin
    for one in ${TABLES} loop
      select string_agg(quote_ident(attname), ', ') into columns from pg_attribute
      where attrelid = format('public.%I', one.name)::regclass
        and attnum > 0 and not attisdropped and attgenerated = '';
      execute format('delete from public.%I', one.name);
      execute format('insert into public.%I (%s) overriding system value select %s from kept.%I', one.name, columns, columns, one.name);
    end loop;
  end $$`)
