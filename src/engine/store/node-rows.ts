/** Nodes over one database: which are running, and which leases belong to stopped ones. */

import type { Effect } from "effect"
import { and, asc, eq, inArray, sql } from "drizzle-orm"
import type { GroupAddress } from "../../model/address.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Database } from "./database.ts"
import { MAY_GO_ON } from "./group-statements.ts"
import { ask } from "./prepared-query.ts"
import { mailbox, nodes } from "./schema.ts"
import { inTransaction, sqlOver } from "./transaction.ts"
import type { Sql } from "./transaction.ts"
import { Routine } from "../services/routine.ts"

/** A node's row. `beats` grows while it runs. */
export interface NodeRow {
  readonly nodeId: string
  readonly beats: number
}

/** One look-up for each node with a lease, however many leases it holds. */
const HOLDERS = `
  with recursive holder (node_id) as (
    (select held_by from mailbox where held_by is not null order by held_by limit 1)
    union all
    select (
      select held_by from mailbox where held_by > holder.node_id order by held_by limit 1
    ) from holder where holder.node_id is not null
  )
  select node_id from holder
  where node_id is not null and not exists (select from nodes where nodes.node_id = holder.node_id)`

export class NodeRows {
  readonly #database: Database["Type"]
  readonly #sql: Sql

  constructor(database: Database["Type"]) {
    this.#database = database
    this.#sql = sqlOver(database)
  }

  /** Writes the node's row, again if another node has removed it. */
  register(nodeId: string, nowMs: EpochMs): Effect.Effect<void> {
    return this.#write("registering a node", (orm) =>
      orm.insert(nodes).values({ nodeId, startedAtMs: nowMs, beats: 0 }).onConflictDoNothing(),
    )
  }

  /** The next heartbeat. */
  beat(nodeId: string, nowMs: EpochMs): Effect.Effect<void> {
    return this.#write("beating", (orm) =>
      orm
        .insert(nodes)
        .values({ nodeId, startedAtMs: nowMs, beats: 1 })
        .onConflictDoUpdate({ target: nodes.nodeId, set: { beats: sql`${nodes.beats} + 1` } }),
    )
  }

  /** Removes a node. With `beats`, only if there was no heartbeat since. */
  remove(nodeId: string, beats?: number): Effect.Effect<void> {
    const isNode = eq(nodes.nodeId, nodeId)
    return this.#write("removing a node", (orm) =>
      orm.delete(nodes).where(beats === undefined ? isNode : and(isNode, eq(nodes.beats, beats))),
    )
  }

  readonly all: Routine<readonly NodeRow[]> = Routine.suspend(() =>
    this.#sql.read("reading nodes", (orm) =>
      orm.select({ nodeId: nodes.nodeId, beats: nodes.beats }).from(nodes).orderBy(asc(nodes.nodeId)),
    ),
  )

  /** Nodes that hold leases and have no row. */
  readonly goneHolders: Routine<readonly string[]> = Routine.suspend(() =>
    Routine.map(
      this.#sql.read("looking for leases of gone nodes", (orm) => ask(orm, HOLDERS, [])),
      (found) => found.map((row) => String(row["node_id"])),
    ),
  )

  /** Groups with a lease of one of these nodes, without stopped groups. */
  heldBy(nodeIds: readonly string[], limit: number): Routine<readonly GroupAddress[]> {
    return Routine.map(
      this.#sql.read("looking for groups that a gone node holds", (orm) =>
        orm
          .select({ address: mailbox.groupAddress })
          .from(mailbox)
          .where(and(inArray(mailbox.heldBy, [...nodeIds]), MAY_GO_ON))
          .limit(limit),
      ),
      (rows) => [...new Set(rows.map(({ address }) => address))],
    )
  }

  /**
   * Removes the holders of the remaining leases; their timers end them. Runs inside the transaction that locks the
   * groups.
   */
  release(addresses: readonly GroupAddress[], nodeIds: readonly string[]): Effect.Effect<void> {
    if (addresses.length === 0) return Routine.void
    return this.#sql.write("releasing leases of gone nodes", (orm) =>
      orm
        .update(mailbox)
        .set({ heldBy: null })
        .where(and(inArray(mailbox.groupAddress, [...addresses]), inArray(mailbox.heldBy, [...nodeIds]))),
    )
  }

  #write(doing: string, query: Parameters<Sql["write"]>[1]): Effect.Effect<void> {
    return inTransaction(this.#database, this.#sql.write(doing, query))
  }
}
