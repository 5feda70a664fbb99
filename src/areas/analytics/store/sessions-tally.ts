/**
 * The reads of a tally, in one statement and so of one moment: sums over the whole quarters of each span, the cut
 * quarters with the stays that began or ended in them, and unfinished stays.
 */

import { sql } from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import { QUARTER_MS, quarterOf } from "../quarters.ts"
import type { CutQuarter, PastStay } from "../quarters.ts"
import type { TallyQuery } from "../rows.ts"
import type { Stay, Tally } from "../tally.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { Orm } from "../../../engine/store/database.ts"

export interface Counted {
  /** By the index of the span. */
  readonly whole: ReadonlyMap<number, Tally>
  readonly cutQuarters: readonly CutQuarter[]
  readonly there: readonly Stay[]
}

export async function tallied(
  orm: Orm,
  query: TallyQuery,
  cutQuarters: readonly EpochMs[],
): Promise<Counted> {
  const rows = await orm
    .select({
      kind: sql<"whole" | "throughout" | "past" | "there">`kind`,
      a: sql<number>`a`,
      b: sql<number>`b`,
      c: sql<number>`c`,
      d: sql<number>`d`,
    })
    .from(sql`(${parts(query, cutQuarters)}) as counted (kind, a, b, c, d)`)
  const whole = new Map<number, Tally>()
  const throughout = new Map<EpochMs, number>()
  const stays = new Map<EpochMs, PastStay[]>(cutQuarters.map((quarterMs) => [quarterMs, []]))
  const there: Stay[] = []
  for (const { kind, a, b, c, d } of rows) {
    switch (kind) {
      case "whole":
        whole.set(a, { began: b, stayMs: c, occupiedMs: d })
        break
      case "throughout":
        throughout.set(a, b)
        break
      case "past":
        stays.get(a)?.push({ startsAtMs: b, endsAtMs: c })
        break
      case "there":
        there.push({ startsAtMs: a, endsAtMs: null })
        break
    }
  }
  return {
    whole,
    cutQuarters: cutQuarters.map((quarterMs) => ({
      quarterMs,
      throughout: throughout.get(quarterMs) ?? 0,
      stays: stays.get(quarterMs) ?? [],
    })),
    there,
  }
}

/**
 * Every number is sent as a double, which represents milliseconds exactly and which both drivers read alike. `offset 0`
 * keeps the bounds of a cut quarter together: as conditions of a join, PostgreSQL estimates that they match a ninth of
 * all sessions and compiles the query first, which takes twenty times as long as the query.
 */
function parts({ environment, siteId, cuts }: TallyQuery, cutQuarters: readonly EpochMs[]): SQL {
  const first = quarterOf(cuts[0] ?? 0)
  const last = cuts.at(-1) ?? first
  const site = sql`environment = ${environment} and site_id = ${siteId}`
  const cut = list(cutQuarters)
  const length = sql.raw(String(QUARTER_MS))
  return sql`
    select 'whole', (width_bucket(quarter_ms, ${list(cuts)}) - 1)::float8,
      sum(began)::float8, sum(stay_ms)::float8, sum(occupied_ms)::float8
    from stall_quarters
    where ${site} and quarter_ms >= ${first}::bigint and quarter_ms < ${last}::bigint
      and quarter_ms <> all (${cut})
    group by 2
    union all
    select 'throughout', quarter_ms::float8, throughout::float8, 0, 0
    from stall_quarters where ${site} and quarter_ms = any (${cut})
    union all
    select 'past', cut.at::float8, starts_at_ms::float8, ends_at_ms::float8, 0
    from unnest(${cut}) as cut (at) cross join lateral (
      select starts_at_ms, ends_at_ms from stall_sessions
      where ${site} and starts_at_ms >= cut.at and starts_at_ms < cut.at + ${length}
        and ends_at_ms is not null offset 0) as began
    union all
    select 'past', cut.at::float8, starts_at_ms::float8, ends_at_ms::float8, 0
    from unnest(${cut}) as cut (at) cross join lateral (
      select starts_at_ms, ends_at_ms from stall_sessions
      where ${site} and ends_at_ms > cut.at and ends_at_ms < cut.at + ${length}
        and starts_at_ms < cut.at offset 0) as ended
    union all
    select 'there', starts_at_ms::float8, 0, 0, 0
    from stall_sessions where ${site} and ends_at_ms is null and starts_at_ms < ${last}::bigint`
}

/** One parameter of any length: drivers encode arrays differently. */
function list(instants: readonly EpochMs[]): SQL {
  return sql`${`{${instants.join(",")}}`}::bigint[]`
}
