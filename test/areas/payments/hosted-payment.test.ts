/**
 * From a checkout link to the processor's page and back, over the simulated service; the processor here consists only
 * of a page.
 */

import { Effect, HashMap, Layer, Logger } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import { CHECKOUT_LINK_MS, CHECKOUT_SESSION_STEP_MS } from "../../../src/model/values/limits.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { HostedCheckout } from "../../../src/areas/courier/hosted-checkout.ts"
import type { FoundSession, HostedOrder } from "../../../src/areas/courier/hosted-checkout.ts"
import { HostedPayment } from "../../../src/areas/courier/hosted-payment.ts"
import { Payments } from "../../../src/areas/courier/payments.ts"
import { memoryHarness, runToEnd } from "../../conformance/memory.ts"
import type { MemoryHarness } from "../../conformance/memory.ts"
import { Errands } from "./errands.ts"

const hosted = Effect.serviceFunctions(HostedPayment)

let h: MemoryHarness
let begun: HostedOrder[]
let sessions: Map<string, FoundSession>
let letGo: string[]
let isDown: boolean
let logged: unknown[]
let errands: Errands

beforeEach(async () => {
  h = memoryHarness()
  begun = []
  sessions = new Map()
  letGo = []
  isDown = false
  logged = []
  errands = new Errands(h)
  await errands.park()
})

const page = Layer.succeed(HostedCheckout, {
  begin: (order) =>
    Effect.sync(() => {
      begun.push(order)
      return isDown ? { type: "unavailable" } : { type: "page", url: "https://processor.example/1" }
    }),
  find: (sessionId) => Effect.sync(() => sessions.get(sessionId) ?? { type: "unknown" }),
  sessionIn: ({ body, signature }) =>
    signature === "good" ? { sessionId: new TextDecoder().decode(body) } : "forged",
})
const payments = Layer.succeed(Payments, {
  authorize: () => Effect.dieMessage("the errand asks by itself"),
  capture: () => Effect.dieMessage("the errand asks by itself"),
  refund: () => Effect.dieMessage("the errand asks by itself"),
  cancel: ({ authorizationId }) =>
    Effect.sync(() => {
      letGo.push(authorizationId)
      return isDown ? { type: "unavailable", reason: "no_answer" } : { type: "done", authorizationId }
    }),
})

function run<A>(effect: Effect.Effect<A, never, HostedPayment>): Promise<A> {
  const layer = Layer.merge(
    HostedPayment.layer.pipe(Layer.provide(Layer.merge(page, payments))),
    Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message, annotations }) => {
        logged.push([[message].flat().join(" "), Object.fromEntries(HashMap.toEntries(annotations))])
      }),
    ),
  )
  const { runtime, host } = h.service
  return runToEnd(Effect.provide(effect, layer), { runtime, time: host.time })
}

/** Paid on the processor's page; what the errand would be granted for it has this id. */
function paid(id: string, sessionId: string, authorizationId = `auth_ok_${id}/1`): void {
  const fee = { amountCents: 495, currency: "usd" }
  sessions.set(sessionId, { type: "paid", deliveryId: id, authorizationId, ...fee })
}

async function statusOf(id: string): Promise<string | undefined> {
  return (await errands.status(id)).payment_status
}

function notice(sessionId: string, signature = "good") {
  return run(hosted.noticed({ body: new TextEncoder().encode(sessionId), signature }))
}

describe("a checkout link leads to the processor's page", () => {
  test("with the fee, the errand, and the way back", async () => {
    const { id, token } = await errands.held()
    expect(await run(hosted.begin(token))).toEqual({ type: "elsewhere", url: "https://processor.example/1" })
    expect(begun).toMatchObject([
      {
        deliveryId: id,
        amountCents: 495,
        currency: "usd",
        returnUrl: expect.stringMatching(new RegExp(`/pay/${token.replaceAll(".", "\\.")}$`)),
      },
    ])
  })

  test("one that is begun with the link ends a minute after it; again soon it is the same, later it lives for half an hour", async () => {
    const { token } = await errands.held()
    const madeAtMs = h.now()
    for (const atMs of [0, CHECKOUT_SESSION_STEP_MS - 1, CHECKOUT_SESSION_STEP_MS, 30 * MINUTE_MS]) {
      await h.advance(madeAtMs + atMs - h.now())
      await run(hosted.begin(token))
      const last = begun.at(-1)
      expect((last?.expiresAtMs ?? 0) - h.now()).toBeGreaterThan(30 * MINUTE_MS)
    }
    expect(begun[0]?.expiresAtMs).toBe(madeAtMs + CHECKOUT_LINK_MS + MINUTE_MS)
    expect(begun[1]).toEqual(begun[0])
    expect(new Set(begun.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3)
  })

  test("not once it has run out, is paid, or was never given", async () => {
    const { id, token } = await errands.held()
    expect(await run(hosted.begin(`${token}x`))).toEqual({ type: "unknown" })
    paid(id, "spt_ok_1")
    await run(hosted.returned(token, "spt_ok_1"))
    expect(await run(hosted.begin(token))).toMatchObject({ type: "paid" })
    await h.advance(CHECKOUT_LINK_MS)
    expect(await run(hosted.begin(token))).toEqual({ type: "expired", isPaid: true })
    expect(begun).toEqual([])
  })

  test("not while the processor does not answer", async () => {
    const { token } = await errands.held()
    isDown = true
    expect(await run(hosted.begin(token))).toEqual({ type: "unavailable" })
  })
})

describe("what was paid there is the errand's", () => {
  test("when the user comes back, and again when the event comes", async () => {
    const { id, token } = await errands.held()
    paid(id, "spt_ok_1")
    expect(await run(hosted.returned(token, "spt_ok_1"))).toBe("kept")
    expect(await statusOf(id)).toBe("authorized")
    expect(await notice("spt_ok_1")).toBe("kept")
    expect(await run(hosted.returned(token, "spt_ok_1"))).toBe("kept")
    expect(letGo).toEqual([])
  })

  test("when the user never comes back, by the event alone", async () => {
    const { id } = await errands.held()
    paid(id, "spt_ok_1")
    expect(await notice("spt_ok_1")).toBe("kept")
    expect(await statusOf(id)).toBe("authorized")
  })

  test("also after the hold and after the link have run out", async () => {
    const { id, token } = await errands.held()
    await h.advance(CHECKOUT_LINK_MS)
    paid(id, "spt_ok_1")
    expect(await run(hosted.returned(token, "spt_ok_1"))).toBe("kept")
    expect(await statusOf(id)).toBe("authorized")
  })

  test("and the order that is placed then is booked with it", async () => {
    const { id } = await errands.held()
    paid(id, "spt_ok_1")
    await notice("spt_ok_1")
    expect(await errands.confirm(id)).toMatchObject({ state: "confirmed", payment_status: "captured" })
    sessions.set("spt_ok_1", { type: "over", authorizationId: `auth_ok_${id}/1` })
    expect(await notice("spt_ok_1")).toBe("unknown")
  })

  test("but not before the payment", async () => {
    const { id, token } = await errands.held()
    sessions.set("spt_ok_1", { type: "open" })
    expect(await run(hosted.returned(token, "spt_ok_1"))).toBe("open")
    sessions.set("spt_ok_1", { type: "unavailable" })
    expect(await notice("spt_ok_1")).toBe("unavailable")
    expect(await statusOf(id)).toBe("pending")
  })

  test("an event with a wrong signature, an unknown session, another errand's session: nothing happens", async () => {
    const { id } = await errands.held()
    const other = await errands.held()
    paid(id, "spt_ok_1")
    expect(await notice("spt_ok_1", "bad")).toBe("forged")
    expect(await notice("spt_ok_9")).toBe("unknown")
    expect(await run(hosted.returned(other.token, "spt_ok_1"))).toBe("unknown")
    expect(await run(hosted.returned("no token", "spt_ok_1"))).toBe("unknown")
    paid(`dlv_${"z".repeat(22)}`, "spt_ok_2")
    expect(await notice("spt_ok_2")).toBe("unknown")
    expect([await statusOf(id), letGo]).toEqual(["pending", []])
  })
})

describe("unneeded payments are returned", () => {
  test("of two pages that were paid the first is kept", async () => {
    const { id, token } = await errands.held()
    paid(id, "spt_ok_1")
    paid(id, "spt_ok_2", "auth_second")
    expect(await run(hosted.returned(token, "spt_ok_1"))).toBe("kept")
    expect(await run(hosted.returned(token, "spt_ok_2"))).toBe("let-go")
    expect(letGo).toEqual(["auth_second"])
  })

  test("a payment that is not the fee, and why is in the log, by ids alone", async () => {
    const { id, token } = await errands.held()
    paid(id, "spt_ok_1", "auth_dear")
    sessions.set("spt_ok_1", {
      ...(sessions.get("spt_ok_1") as FoundSession),
      amountCents: 496,
    } as FoundSession)
    expect(await run(hosted.returned(token, "spt_ok_1"))).toBe("let-go")
    expect([await statusOf(id), letGo]).toEqual(["pending", ["auth_dear"]])
    isDown = true
    expect(await notice("spt_ok_1")).toBe("unavailable")
    const said = "a payment on the processor's page is not kept, it is not the fee; it"
    const ids = { deliveryId: id, authorizationId: "auth_dear" }
    expect(logged).toEqual([
      [`${said} was let go`, ids],
      [`${said} could not be let go: no_answer`, ids],
    ])
  })

  test("a payment for an errand that is over", async () => {
    const { id, token } = await errands.held()
    await errands.cancel(id)
    paid(id, "spt_ok_1", "auth_late")
    isDown = true
    expect(await notice("spt_ok_1")).toBe("unavailable")
    isDown = false
    expect(await notice("spt_ok_1")).toBe("let-go")
    expect(letGo).toEqual(["auth_late", "auth_late"])
    sessions.set("spt_ok_1", { type: "over", authorizationId: "auth_late" })
    expect(await run(hosted.returned(token, "spt_ok_1"))).toBe("let-go")
    expect(await statusOf(id)).toBe("pending")
  })
})
