/**
 * The rows of a database in a store in memory, so that words of scenarios and invariants read them as they do in a simulated run.
 */

import { Effect } from "effect"
import type { Context } from "effect"
import { stallSessions } from "../../areas/analytics/rows.ts"
import { courierClaims, courierOrders, courierStoreOrders } from "../../areas/courier/rows.ts"
import { chargeTable } from "../../areas/direct-delivery/charges.ts"
import { deliveries, quotes } from "../../areas/direct-delivery/rows.ts"
import { fleetSettings } from "../../areas/dispatch/fleet-settings.ts"
import { vehicles } from "../../areas/dispatch/rows.ts"
import { messages } from "../../areas/messages/rows.ts"
import { reservations } from "../../areas/reservations/rows.ts"
import { runnerCalls } from "../../areas/runner-phones/rows.ts"
import { webhookBodies, webhookDeliveries, webhookEndpoints } from "../../areas/webhooks/store.ts"
import type { Columns, StoredRow } from "../../engine/services/tables/columns.ts"
import type { Table } from "../../engine/services/tables/table.ts"
import { SealedTables } from "../../engine/services/tables/tables.ts"
import { memoryRowsOf } from "../../engine/memory/memory-tables.ts"
import type { MemoryStore } from "../../engine/memory/memory-store.ts"
import type { Database } from "../../engine/store/database.ts"
import { layerSealedTables } from "../../engine/store/sql-tables.ts"

export class Mirror {
  readonly #store: MemoryStore
  readonly #database: Context.Context<Database>
  readonly #secretKey: string

  constructor(parts: {
    readonly store: MemoryStore
    readonly database: Context.Context<Database>
    readonly secretKey: string
  }) {
    this.#store = parts.store
    this.#database = parts.database
    this.#secretKey = parts.secretKey
  }

  /** The rows that a command's words look at. */
  readonly ofCommands: Effect.Effect<void> = Effect.suspend(() =>
    this.#read((one) => [one(reservations), one(deliveries), one(fleetSettings), one(runnerCalls)]),
  )

  /** The rows that invariants look at. */
  readonly ofInvariants: Effect.Effect<void> = Effect.suspend(() =>
    this.#read((one) => [
      one(reservations),
      one(stallSessions),
      one(deliveries),
      one(quotes),
      one(vehicles),
      one(courierOrders),
      one(courierClaims),
      one(courierStoreOrders),
      one(chargeTable),
      one(messages),
      one(webhookEndpoints),
      one(webhookDeliveries),
      one(webhookBodies),
    ]),
  )

  #read(
    tables: (
      one: <C extends Columns, Key extends keyof C & string>(
        table: Table<C, Key>,
      ) => Effect.Effect<void, never, SealedTables>,
    ) => readonly Effect.Effect<void, never, SealedTables>[],
  ): Effect.Effect<void> {
    const reading = tables((table) => this.#readOne(table))
    return Effect.all(reading, { discard: true }).pipe(
      Effect.provide(layerSealedTables(this.#secretKey)),
      Effect.provide(this.#database),
    )
  }

  #readOne<C extends Columns, Key extends keyof C & string>(
    table: Table<C, Key>,
  ): Effect.Effect<void, never, SealedTables> {
    return Effect.gen(this, function* () {
      const tables = yield* SealedTables
      const rows = yield* tables.of(table).list({}, { order: "any" })
      const kept = memoryRowsOf(this.#store, table)
      kept.fill(rows.map((row) => [keyOf(table, row), row as unknown as StoredRow<C>]))
    })
  }
}

/** As rows in memory are keyed. */
function keyOf<C extends Columns, Key extends keyof C & string>(table: Table<C, Key>, row: object): string {
  return table.key.map((name) => String((row as Readonly<Record<string, unknown>>)[name])).join("\u0000")
}
