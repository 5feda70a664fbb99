/**
 * Rows of a test database that are kept under a name, and brought back for each test: what services write once is copied after that.
 * No table refers to another.
 */

import { sql } from "drizzle-orm"
import type { Database } from "../../src/engine/store/database.ts"

/** Makes a schema of this name: a copy of every table that has rows, and the function that brings the database back to them. */
export async function keepRows({ orm }: Database["Type"], name: string): Promise<void> {
  await orm.execute(
    sql.raw(`do $$
      declare
        tables text[] := array(select quote_ident(tablename) from pg_tables where schemaname = 'public' and tablename <> 'migrations');
        name text;
        holds boolean;
        copies text := '';
        looks text := '';
        deletions text := '';
      begin
        create schema "${name}";
        for at in 1 .. array_length(tables, 1) loop
          name := tables[at];
          execute format('select exists (select from public.%s)', name) into holds;
          if holds then
            execute format('create table "${name}".%s as table public.%s', name, name);
            copies := copies || format('insert into public.%s select * from "${name}".%s; ', name, name);
          end if;
          looks := looks || format(', exists (select from public.%s)', name);
          deletions := deletions || format('if holds[%s] then delete from public.%s; end if; ', at, name);
        end loop;
        -- Its statements are planned once for each connection.
        execute format('create function "${name}".restore() returns void language plpgsql as $f$
          declare holds boolean[]; begin select array[%s] into holds; %s %s end $f$', substr(looks, 3), deletions, copies);
      end $$`),
  )
  known(name).add(orm)
}

/** Empties every table, also those that no file exports, and copies the rows of this name; false when none are kept. */
export async function restored({ orm }: Database["Type"], name: string): Promise<boolean> {
  if (!known(name).has(orm)) {
    const isThere = sql<boolean>`to_regnamespace(${name}) is not null`
    const [found] = await orm.select({ isThere }).from(sql`(values (1)) one`)
    if (found?.isThere !== true) return false
    known(name).add(orm)
  }
  await orm.execute(sql.raw(`select "${name}".restore()`))
  return true
}

/** Empties every table of a database that keeps no rows yet. */
export async function emptyTables({ orm }: Database["Type"]): Promise<void> {
  await orm.execute(
    sql.raw(`do $$ declare name text; begin
      for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations' loop
        execute format('delete from public.%I', name);
      end loop;
    end $$`),
  )
}

const byName = new Map<string, WeakSet<Database["Type"]["orm"]>>()

/** The databases that are known to keep rows of this name. */
function known(name: string): WeakSet<object> {
  const databases = byName.get(name) ?? new WeakSet()
  byName.set(name, databases)
  return databases
}
