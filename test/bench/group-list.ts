/**
 * The inspector's list over 200,000 groups, on the embedded database and on PostgreSQL: `npm run bench -- group-list`. For each
 * search and count the median of some runs. It plans with counted rows; `test/engine/store/group-list.test.ts` without.
 */

import { sql } from "drizzle-orm"
import { Effect } from "effect"
import type { Layer } from "effect"
import { layerInspectedGroups } from "../../src/apps/inspector/store/inspected-groups.ts"
import { InspectedGroups } from "../../src/apps/inspector/rows.ts"
import { Database, layerPostgres } from "../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../src/engine/store/database.ts"
import { startRealService } from "../attacks/real-service.ts"
import type { RealService } from "../attacks/real-service.ts"
import { layerCopiedPglite } from "../engine/store/embedded-template.ts"
import { OPEN_GROUPS, addManyGroups } from "../engine/store/many-groups.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { printMachine } from "./machine-line.ts"

const RESERVATIONS = 40_000
const RUNS = 7

const groups = Effect.serviceFunctions(InspectedGroups)

const READS = {
  "the list": groups.list(OPEN_GROUPS),
  "the list of a kind": groups.list({ ...OPEN_GROUPS, kind: "reservation" }),
  "an order number": groups.list({ ...OPEN_GROUPS, isOpen: false, orderNumber: "m-20000" }),
  "an unknown order number": groups.list({ ...OPEN_GROUPS, isOpen: false, orderNumber: "nothing" }),
  "a small organization": groups.list({ ...OPEN_GROUPS, isOpen: false, organization: "Many 57" }),
  "a large organization": groups.list({ ...OPEN_GROUPS, isOpen: false, organization: "Wheels" }),
  "a part of all names": groups.list({ ...OPEN_GROUPS, isOpen: false, organization: "Many" }),
  "the end of an id": groups.list({ ...OPEN_GROUPS, isOpen: false, addressPart: "no-such-id" }),
  "late timers": groups.list({ ...OPEN_GROUPS, dueBeforeMs: 1 }),
  "stuck groups": groups.list({ ...OPEN_GROUPS, isStopped: true }),
  "counts by kind": groups.counts("production"),
  "counts by state": groups.states("production", "webhook-delivery"),
  "a word in 200 journals": Effect.flatMap(groups.list({ ...OPEN_GROUPS, isOpen: false }), (found) =>
    groups.withWord(
      found.map(({ address }) => address),
      "open_link.failed",
    ),
  ),
} satisfies Readonly<Record<string, Effect.Effect<unknown, never, InspectedGroups>>>

export async function benchGroupList(): Promise<void> {
  printMachine()
  for (const oneOpenIn of [20, 1]) {
    await measured("embedded database", oneOpenIn, layerCopiedPglite)
    const postgres = await startServer()
    try {
      await measured("PostgreSQL", oneOpenIn, layerPostgres(postgres.url))
    } finally {
      await postgres.stop()
    }
  }
}

async function measured(
  name: string,
  oneOpenIn: number,
  database: Layer.Layer<Database, DatabaseFault>,
): Promise<void> {
  const service = await startRealService({ database })
  try {
    await addManyGroups(service, { reservations: RESERVATIONS, oneOpenIn })
    const { orm } = await service.run(Database)
    await orm.execute(sql`analyze`)
    console.log(`\n${name}, ${RESERVATIONS * 5} groups, one in ${oneOpenIn} open; ms`)
    for (const [read, effect] of Object.entries(READS))
      console.log(`${(await medianMs(service, effect)).padStart(8)}  ${read}`)
  } finally {
    await service.close()
  }
}

async function medianMs(
  service: RealService,
  effect: Effect.Effect<unknown, never, InspectedGroups>,
): Promise<string> {
  const took: number[] = []
  for (let run = 0; run < RUNS; run += 1) {
    const startMs = performance.now()
    await service.run(Effect.provide(effect, layerInspectedGroups))
    took.push(performance.now() - startMs)
  }
  return (took.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0).toFixed(1)
}
