/** The contract of CallRows: what any layer of them must do. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { CallRows } from "../../src/http/access/call-rows.ts"
import type { NewCall } from "../../src/http/access/call-rows.ts"
import type { ActorHost } from "../../src/engine/services/host.ts"
import { transacted } from "../conformance/transacted.ts"

export interface CallHarness {
  readonly run: <A, E>(effect: Effect.Effect<A, E, ActorHost | CallRows>) => Promise<A>
}

const T = Date.parse("2026-06-01T15:00:00Z")

function call(callId: string, more: Partial<NewCall> = {}): NewCall {
  return {
    callId,
    organizationId: "org_b",
    environment: "sandbox",
    atMs: T,
    method: "POST",
    route: "/dd/v1/deliveries/:id",
    path: "/dd/v1/deliveries/Küche's",
    status: 422,
    code: "QUOTE_UNAVAILABLE",
    ms: 9,
    requestId: `request-${callId}`,
    keyId: "key_1",
    lastFour: "aZ09",
    sent: '{"a":"•••"}',
    answered: null,
    isCut: false,
    ...more,
  }
}

const SCOPE = { organizationId: "org_b", environment: "sandbox" } as const

export function callPortsContract(name: string, make: () => CallHarness): void {
  const rows = Effect.serviceFunctions(CallRows)
  const newest = async (h: CallHarness, limit = 100) =>
    (await h.run(rows.newest(SCOPE, limit))).map(({ callId }) => callId)

  describe(`request log: ${name}`, () => {
    test("calls come back newest first as they were written, those of one organization and environment", async () => {
      const h = make()
      await transacted(
        h,
        rows.append([call("c1"), call("c2", { status: 200, code: null, sent: null, isCut: true })]),
        rows.append([call("c3", { organizationId: "org_a" }), call("c4", { environment: "production" })]),
        rows.append([call("c5")]),
      )
      expect(await newest(h)).toEqual(["c5", "c2", "c1"])
      expect(await newest(h, 2)).toEqual(["c5", "c2"])
      const [, second] = await h.run(rows.newest(SCOPE, 2))
      const behind = await h.run(rows.newest(SCOPE, 2, second?.number))
      expect(behind.map(({ callId }) => callId)).toEqual(["c5"])
      const { sent, answered, isCut, ...row } = call("c1")
      const [, , first] = await h.run(rows.newest(SCOPE, 3))
      expect(first).toEqual({ ...row, number: first?.number })
      expect(await h.run(rows.bodies("c1"))).toEqual({ callId: "c1", atMs: T, sent, answered, isCut })
      expect(await h.run(rows.bodies("c2"))).toMatchObject({ sent: null, isCut: true })
      expect(await h.run(rows.bodies("c9"))).toBeNull()
    })

    test("of two calls with one request id the newer is found, and none of another organization", async () => {
      const h = make()
      await transacted(
        h,
        rows.append([call("c1", { requestId: "r" }), call("c2", { requestId: "r" })]),
        rows.append([call("c3", { requestId: "r", organizationId: "org_a" })]),
        rows.append([call("c4", { requestId: "s", organizationId: "org_a" })]),
      )
      expect((await h.run(rows.byRequest(SCOPE, "r")))?.callId).toBe("c2")
      expect(await h.run(rows.byRequest(SCOPE, "s"))).toBeNull()
    })

    test("G23: a cut keeps the newest calls with their bodies, and touches no other log", async () => {
      const h = make()
      await transacted(
        h,
        rows.append(["c1", "c2", "c3", "c4"].map((id) => call(id))),
        rows.append([call("c5", { organizationId: "org_a" })]),
        rows.cut(SCOPE, 2),
        rows.cut({ ...SCOPE, environment: "production" }, 0),
      )
      expect(await newest(h)).toEqual(["c4", "c3"])
      expect(await h.run(rows.bodies("c2"))).toBeNull()
      expect(await h.run(rows.bodies("c3"))).not.toBeNull()
      expect(await h.run(rows.bodies("c5"))).not.toBeNull()
      await transacted(h, rows.cut(SCOPE, 2))
      expect(await newest(h)).toEqual(["c4", "c3"])
    })

    test("G20: calls and bodies are purged by age, as many as asked for", async () => {
      const h = make()
      await transacted(h, rows.append([call("c1"), call("c2", { atMs: T + 1 }), call("c3", { atMs: T + 2 })]))
      expect(await transacted(h, rows.purge({ beforeMs: T + 1, limit: 1 }))).toEqual([1])
      expect(await newest(h)).toEqual(["c3", "c2"])
      expect(await transacted(h, rows.purge({ beforeMs: T + 1, limit: 10 }))).toEqual([1])
      expect(await transacted(h, rows.purgeBodies({ beforeMs: T + 1, limit: 10 }))).toEqual([2])
      expect(await h.run(rows.bodies("c3"))).not.toBeNull()
      expect(await newest(h)).toEqual(["c3"])
    })
  })
}
