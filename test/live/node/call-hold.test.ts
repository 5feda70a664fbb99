/** The hold on calls over the embedded database, and what is counted as waiting behind it. */

import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { machines } from "../../../machines/index.ts"
import type { MachineId } from "../../../machines/index.ts"
import { layerCallHoldControl } from "../../../src/live/calls/call-hold.ts"
import { kindOf } from "../../../src/model/address.ts"
import { CallHoldControl } from "../../../src/engine/services/outbound/call-hold.ts"
import { callHoldStatus, holdCalls, resumeCalls } from "../../../src/apps/operations/store/call-hold.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { layerTables } from "../../../src/engine/store/sql-tables.ts"
import { groups, mailbox } from "../../../src/engine/store/schema.ts"
import { OperatorAudit } from "../../../src/apps/inspector/audit.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"

const ADDRESSES = ["webhook-delivery/a", "webhook-delivery/b", "reservation/c"] as const

const group = (address: string) => ({
  address,
  kind: kindOf(address),
  revision: 1,
  instantMs: 1,
  occurredUs: 1_000,
  head: "",
  actors: [],
  isSettled: false,
})

const timer = (to: string, id: string) => ({
  groupAddress: to,
  kind: "timer" as const,
  key: `${to} ${id}`,
  toAddress: to,
  event: { type: id },
  dueMs: 1,
  instantMs: 1,
  cause: [to, 1, 0] as const,
})

test("a hold counts attempts without a result and attempts to come, and no other timer", async () => {
  await Effect.runPromise(
    Effect.gen(function* () {
      const database = yield* Database
      const { orm } = database
      yield* holdCalls(database, "restore")
      yield* holdCalls(database, "command")
      yield* Effect.promise(() => orm.insert(groups).values(ADDRESSES.map(group)))
      yield* Effect.promise(() =>
        orm
          .insert(mailbox)
          .values([
            timer("webhook-delivery/a", "xstate.after.lease of the call.webhook-delivery.sending"),
            timer(
              "webhook-delivery/b",
              "xstate.after.pause before the next attempt.webhook-delivery.waiting",
            ),
            timer("reservation/c", "xstate.after.window and grace.reservation.open"),
          ]),
      )
      expect(yield* callHoldStatus(database)).toEqual({
        heldSinceMs: expect.any(Number),
        heldBy: "restore",
        callsWaiting: 2,
        messagesWaiting: 0,
      })
      const control = yield* CallHoldControl
      const operator = { type: "operator", by: "ops", environment: "production", tokenId: "one" } as const
      expect(yield* control.release(operator)).toMatchObject({ heldSinceMs: null, heldBy: null })
      expect(yield* resumeCalls(database)).toBe(false)
      yield* holdCalls(database, "command")
      expect(yield* resumeCalls(database)).toBe(true)
      const entries = yield* (yield* OperatorAudit).list({
        environment: "production",
        beforeNumber: null,
        limit: 10,
      })
      expect(entries.map(({ eventType, operator: by }) => [eventType, by])).toEqual([
        ["calls.released", "command line"],
        ["calls.released", "one"],
      ])
    }).pipe(
      Effect.provide(layerCallHoldControl),
      Effect.provide(OperatorAudit.layer),
      Effect.provide(layerTables),
      Effect.provide(layerCopiedPglite),
    ),
  )
})

test("machines that make calls, and no others, name their timers so that they are counted", () => {
  const waits = /^(lease of|pause before) /
  const [named, calling] = [new Set<string>(), new Set<string>()]
  for (const id of Object.keys(machines) as MachineId[]) {
    const [machine = "", version] = id.split("@")
    const delays = Object.keys(machines[id].implementations.delays)
    if (delays.some((delay) => waits.test(delay))) named.add(id)
    const beside = new URL(`../../../machines/${machine}-${version}.ts`, import.meta.url)
    const file = new URL(`../../../machines/${machine}.ts`, import.meta.url)
    if (/\bcall\("/.test(sourceOf(beside) ?? sourceOf(file) ?? "")) {
      calling.add(id)
      // Every delay of such a machine is that of a call.
      expect(
        delays.filter((delay) => !waits.test(delay)),
        id,
      ).toEqual([])
    }
  }
  expect(calling.size).toBeGreaterThan(2)
  expect([...named]).toEqual([...calling])
})

function sourceOf(file: URL): string | null {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return null
  }
}
