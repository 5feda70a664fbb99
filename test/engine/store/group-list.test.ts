/**
 * The inspector's list when there are many groups: counts stop at their bound, searches find, and the plans of its statements use
 * an index. The servers have not counted the rows, as after a start.
 */

import { sql } from "drizzle-orm"
import { Effect } from "effect"
import type { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { InspectedGroups } from "../../../src/apps/inspector/rows.ts"
import { layerInspectedGroups } from "../../../src/apps/inspector/store/inspected-groups.ts"
import {
  COUNTED_GROUPS_MAX,
  COUNTED_STATES_MAX,
  INSPECTED_GROUPS_BATCH,
} from "../../../src/model/values/limits.ts"
import { Database, layerPostgres } from "../../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../../src/engine/store/database.ts"
import { startRealService } from "../../attacks/real-service.ts"
import type { RealService } from "../../attacks/real-service.ts"
import { layerCopiedPglite } from "./embedded-template.ts"
import { OPEN_GROUPS, addManyGroups } from "./many-groups.ts"
import { startPostgres } from "./postgres-server.ts"
import type { PostgresDatabase } from "./postgres-server.ts"

/** With four webhook deliveries each; every group is open. */
const RESERVATIONS = 4_000

const groups = Effect.serviceFunctions(InspectedGroups)

let server: PostgresDatabase
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const PLACES: Readonly<Record<string, () => Layer.Layer<Database, DatabaseFault>>> = {
  PGlite: () => layerCopiedPglite,
  PostgreSQL: () => layerPostgres(server.url),
}

describe.each(Object.entries(PLACES))("on %s", (_, database) => {
  let service: RealService
  beforeAll(async () => {
    service = await startRealService({ database: database() })
    await addManyGroups(service, { reservations: RESERVATIONS, oneOpenIn: 1 })
  })
  afterAll(() => service.close())

  const read = <A>(effect: Effect.Effect<A, never, InspectedGroups>): Promise<A> =>
    service.run(Effect.provide(effect, layerInspectedGroups))

  async function planOf(query: string): Promise<string> {
    const { orm } = await service.run(Database)
    const found: unknown = await orm.execute(sql.raw(`explain ${query}`))
    const rows = Array.isArray(found) ? found : (found as { readonly rows: readonly object[] }).rows
    return rows.map((row) => Object.values(row as object).join("")).join("\n")
  }

  test("counts stop at their bound", async () => {
    const counts = await read(groups.counts("production"))
    expect(counts).toEqual([
      { kind: "reservation", open: RESERVATIONS + 1, stuck: 0 },
      { kind: "webhook-delivery", open: COUNTED_GROUPS_MAX + 1, stuck: 0 },
    ])
    const states = await read(groups.states("production", "webhook-delivery"))
    expect(states).toEqual([{ value: "waiting", open: COUNTED_STATES_MAX }])
  })

  test("an order, an organization and a page are found", async () => {
    const ofOrder = await read(groups.list({ ...OPEN_GROUPS, orderNumber: "m-77" }))
    expect(ofOrder.map(({ address }) => address).toSorted()).toEqual([
      "reservation/res_77",
      ...[1, 2, 3, 4].map((event) => `webhook-delivery/m77-${event}`),
    ])
    const ofSmall = await read(groups.list({ ...OPEN_GROUPS, organization: "Many 57", kind: "reservation" }))
    expect(ofSmall.length).toBeGreaterThan(5)
    expect(await read(groups.list({ ...OPEN_GROUPS, organization: "Wheels" }))).toHaveLength(
      INSPECTED_GROUPS_BATCH,
    )
    expect(await read(groups.list(OPEN_GROUPS))).toHaveLength(INSPECTED_GROUPS_BATCH)
  })

  test.each([
    [
      "groups_open",
      "select address from groups where environment = 'production' and not is_settled order by number desc limit 200",
    ],
    [
      "groups_open_of_kind",
      "select address from groups where environment = 'production' and kind = 'reservation' and not is_settled order by number desc limit 200",
    ],
    [
      "groups_pkey",
      "select address from groups where address = any(array(select 'reservation/res_' || n from generate_series(1, 9) n))",
    ],
  ])("a plan uses the index %s", async (index, query) => {
    const plan = await planOf(query)
    expect(plan).toContain(index)
    expect(plan).not.toContain("Seq Scan on groups")
  })
})
