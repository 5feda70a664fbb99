/** The contract of RunnerPhoneRows: codes, phones, their moves, and calls to them. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { RunnerPhoneRows } from "../../src/areas/runner-phones/rows.ts"
import type {
  RunnerCallRow,
  RunnerMoveRow,
  RunnerPairing,
  RunnerPhone,
} from "../../src/areas/runner-phones/rows.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import type { RowsHarness } from "./reservation-rows.ts"

const T = Date.parse("2026-06-01T15:00:00Z")

const PAIRING: RunnerPairing = {
  codeHash: "hash_1",
  environment: "production",
  siteId: "site_1",
  runnerId: "run_1",
  runnerName: "Maya R.",
  madeAtMs: T,
  endsAtMs: T + 10,
}

const PHONE: RunnerPhone = {
  phoneId: "phone_1",
  environment: "production",
  siteId: "site_1",
  runnerId: "run_1",
  runnerName: "Maya R.",
  tokenHash: "token_1",
  pairedAtMs: T,
  endsAtMs: T + 100,
}

const MOVE: RunnerMoveRow = {
  phoneId: "phone_1",
  moveKey: "key_1",
  environment: "production",
  reservationId: "res_1",
  runnerId: "run_1",
  move: "at-store",
  outcome: "done",
  atMs: T,
  phoneAtMs: T - 5,
}

const CALL: RunnerCallRow = {
  callId: "call_1",
  environment: "production",
  siteId: "site_1",
  reservationId: "res_1",
  message: "Bring water",
  callerName: "Dana",
  calledAtMs: T,
  endsAtMs: T + 10,
}

type Write = (rows: RunnerPhoneRows["Type"]) => Effect.Effect<unknown, never, Transaction>

export function runnerPhoneRowsContract(name: string, make: () => RowsHarness<RunnerPhoneRows>): void {
  type Harness = RowsHarness<RunnerPhoneRows>
  const write = (h: Harness, ...writes: Write[]): Promise<readonly unknown[]> =>
    h.run(
      Effect.gen(function* () {
        const host = yield* ActorHost
        const rows = yield* RunnerPhoneRows
        return yield* Effect.forEach(writes, (one) =>
          host.run({ name: "a test", locks: {}, body: () => Routine.from(one(rows)) }),
        )
      }),
    )
  const read = <A>(h: Harness, reading: (rows: RunnerPhoneRows["Type"]) => Effect.Effect<A>): Promise<A> =>
    h.run(Effect.flatMap(RunnerPhoneRows, reading))

  describe(`runner phone rows: ${name}`, () => {
    test("a code is read by its hash until it is used or has ended", async () => {
      const h = make()
      await write(
        h,
        (rows) => rows.insertPairing(PAIRING),
        (rows) => rows.insertPairing({ ...PAIRING, codeHash: "hash_2", endsAtMs: T + 20 }),
        (rows) => rows.insertPairing({ ...PAIRING, codeHash: "hash_3" }),
        (rows) => rows.deletePairing("hash_3"),
      )
      expect(await read(h, (rows) => rows.pairing("hash_1"))).toEqual(PAIRING)
      expect(await read(h, (rows) => rows.pairing("hash_3"))).toBeNull()
      expect(await write(h, (rows) => rows.purgePairings({ beforeMs: T + 10, limit: 10 }))).toEqual([1])
      expect(await read(h, (rows) => rows.pairing("hash_1"))).toBeNull()
      expect((await read(h, (rows) => rows.pairing("hash_2")))?.endsAtMs).toBe(T + 20)
    })

    test("a site's phones are newest first, and one that was ended is left out", async () => {
      const h = make()
      const second = { ...PHONE, phoneId: "phone_2", tokenHash: "token_2" }
      await write(
        h,
        (rows) => rows.insertPhone(PHONE),
        (rows) => rows.insertPhone(second),
        (rows) => rows.insertPhone({ ...PHONE, phoneId: "phone_3", tokenHash: "token_3", siteId: "site_2" }),
        (rows) =>
          rows.insertPhone({ ...PHONE, phoneId: "phone_4", tokenHash: "token_4", environment: "sandbox" }),
      )
      const phones = (endsAfterMs: number) =>
        read(h, (rows) => rows.phones({ environment: "production", siteId: "site_1", endsAfterMs }))
      expect(await phones(T)).toEqual([second, PHONE])
      expect(await read(h, (rows) => rows.phoneOf("token_2"))).toEqual(second)
      expect(await read(h, (rows) => rows.phoneOf("token_9"))).toBeNull()
      await write(h, (rows) => rows.endPhone("phone_2", T + 50))
      expect(await phones(T + 50)).toEqual([PHONE])
      expect((await read(h, (rows) => rows.phone("phone_2")))?.endsAtMs).toBe(T + 50)
      expect(await write(h, (rows) => rows.purgePhones({ beforeMs: T + 50, limit: 10 }))).toEqual([1])
      expect(await read(h, (rows) => rows.phone("phone_2"))).toBeNull()
    })

    test("moves are read by their key and listed by reservation", async () => {
      const h = make()
      const refused = { ...MOVE, moveKey: "key_2", outcome: "INVALID_STATE", atMs: T + 1, phoneAtMs: null }
      await write(
        h,
        (rows) => rows.insertMove(MOVE),
        (rows) => rows.insertMove(refused),
        (rows) => rows.insertMove({ ...MOVE, phoneId: "phone_2", reservationId: "res_2" }),
      )
      expect(await read(h, (rows) => rows.move("phone_1", "key_2"))).toEqual(refused)
      expect(await read(h, (rows) => rows.move("phone_2", "key_2"))).toBeNull()
      expect(await read(h, (rows) => rows.moves("production", "res_1"))).toEqual([MOVE, refused])
      expect(await read(h, (rows) => rows.moves("sandbox", "res_1"))).toEqual([])
      expect(await write(h, (rows) => rows.purgeMoves({ beforeMs: T, limit: 10 }))).toEqual([2])
      expect(await read(h, (rows) => rows.moves("production", "res_1"))).toEqual([refused])
    })

    test("calls of a site are newest first, from an instant on, and purged by their age", async () => {
      const h = make()
      const second = { ...CALL, callId: "call_2", reservationId: null, message: null, calledAtMs: T + 1 }
      await write(
        h,
        (rows) => rows.insertCall(CALL),
        (rows) => rows.insertCall(second),
        (rows) => rows.insertCall({ ...CALL, callId: "call_3", siteId: "site_2" }),
        (rows) => rows.insertCall({ ...CALL, callId: "call_4", environment: "sandbox" }),
      )
      const calls = (afterMs: number, limit = 10) =>
        read(h, (rows) => rows.calls({ environment: "production", siteId: "site_1", afterMs, limit }))
      expect(await calls(T - 1)).toEqual([second, CALL])
      expect([await calls(T), await calls(T - 1, 1)]).toEqual([[second], [second]])
      expect(await read(h, (rows) => rows.call("call_1"))).toEqual(CALL)
      expect(await read(h, (rows) => rows.call("call_9"))).toBeNull()
      expect(await write(h, (rows) => rows.purgeCalls({ beforeMs: T, limit: 10 }))).toEqual([3])
      expect(await calls(T - 1)).toEqual([second])
    })
  })
}
