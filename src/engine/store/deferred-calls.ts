/**
 * Deferred calls: groups whose call could not be sent, by endpoint in the order of deferral. An additional row for each
 * call costs little; a mailbox entry would be checked each time it is due.
 */

import { and, asc, eq, inArray, sql } from "drizzle-orm"
import type { GroupAddress } from "../../model/address.ts"
import type { Database } from "./database.ts"
import { ask } from "./prepared-query.ts"
import { deferredCalls, groups } from "./schema.ts"
import { sqlOver } from "./transaction.ts"
import type { Sql } from "./transaction.ts"
import { Routine } from "../services/routine.ts"

export interface DeferredCall {
  readonly groupAddress: GroupAddress
  readonly endpoint: string
}

/** A stopped group must not hold up others. */
const MAY_GO_ON = sql`(
  select ${groups.stoppedBecause} is null from ${groups} where ${groups.address} = ${deferredCalls.groupAddress}
)`

/** One look-up for each endpoint, however many calls it has. */
const ENDPOINTS = `
  with recursive one (endpoint) as (
    (select endpoint from deferred_calls order by endpoint limit 1)
    union all
    select (select endpoint from deferred_calls where endpoint > one.endpoint order by endpoint limit 1)
    from one where one.endpoint is not null
  )
  select endpoint from one where endpoint is not null`

export class DeferredCalls {
  readonly #sql: Sql

  constructor(database: Database["Type"]) {
    this.#sql = sqlOver(database)
  }

  /** Runs inside the transaction that sends the groups the deferral. */
  add(calls: readonly DeferredCall[]): Routine<void> {
    if (calls.length === 0) return Routine.void
    return this.#sql.write("deferring calls", (orm) =>
      orm
        .insert(deferredCalls)
        .values([...calls])
        .onConflictDoNothing(),
    )
  }

  /** Runs inside the transaction that releases the groups. */
  remove(addresses: readonly GroupAddress[]): Routine<void> {
    if (addresses.length === 0) return Routine.void
    return this.#sql.write("letting deferred calls go", (orm) =>
      orm.delete(deferredCalls).where(inArray(deferredCalls.groupAddress, [...addresses])),
    )
  }

  /** Endpoints with deferred calls. */
  readonly endpoints: Routine<readonly string[]> = Routine.suspend(() =>
    Routine.map(
      this.#sql.read("looking for deferred calls", (orm) => ask(orm, ENDPOINTS, [])),
      (found) => found.map((row) => String(row["endpoint"])),
    ),
  )

  /** The first of one endpoint. */
  first(endpoint: string, limit: number): Routine<readonly GroupAddress[]> {
    return Routine.map(
      this.#sql.read("reading deferred calls", (orm) =>
        orm
          .select({ address: deferredCalls.groupAddress })
          .from(deferredCalls)
          .where(and(eq(deferredCalls.endpoint, endpoint), MAY_GO_ON))
          .orderBy(asc(deferredCalls.number))
          .limit(limit),
      ),
      (rows) => rows.map(({ address }) => address),
    )
  }
}
