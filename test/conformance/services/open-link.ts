/** The open link: when it is called, with which bytes, how often, and when it is dropped. */

import { createHmac } from "node:crypto"
import { describe, expect, test } from "vitest"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import {
  HOOK,
  OPEN_LINK,
  PHOTO,
  app,
  booked,
  bringTo,
  codeOf,
  handoffOf,
  iso,
  openLinkSecrets,
  partner,
  report,
  reservations,
  runner,
  sandboxPartner,
  seen,
  stranger,
  subscribe,
  toldInShort,
} from "../harness.ts"
import type { EndpointAnswer, MakeServicesHarness, Received } from "../harness.ts"

const FAILS: EndpointAnswer = { type: "status", status: 500, afterMs: 100 }
const OPENS: EndpointAnswer = { type: "status", status: 204, afterMs: 100 }
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Checked with node:crypto only. */
function isSignedWith(secret: string, { headers, body, atMs }: Received): boolean {
  const [, seconds, given] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers["X-Service-Signature"] ?? "") ?? []
  const wanted = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")
  return given === wanted && Number(seconds) === Math.floor(atMs / 1000)
}

function attemptId(request: Received | undefined): string {
  return String((JSON.parse(request?.body ?? "{}") as Record<string, unknown>)["attempt_id"])
}

export function openLinkTests(make: MakeServicesHarness): void {
  const sinceFirst = (requests: readonly Received[]): readonly number[] =>
    requests.map((request) => request.atMs - (requests[0]?.atMs ?? 0))

  describe("open link", () => {
    test("O1 and O2: one POST with the attempt's id, what to open and for whom", async () => {
      const h = make()
      const id = await booked(h)
      await bringTo(h, id, "AT_UNIT")
      await report(h, id, "ARRIVED", { label: "Blue 7" })
      await h.advance(MINUTE_MS)
      const atMs = h.now()
      await report(h, id, "READY_FOR_HANDOFF")
      await h.advance(1_000)
      const requests = h.received(OPEN_LINK)
      expect(requests).toHaveLength(1)
      const body = JSON.parse(requests[0]?.body ?? "{}") as Record<string, unknown>
      expect(body).toEqual({
        attempt_id: expect.stringMatching(UUID) as string,
        reservation_id: id,
        order_number: "A-1001",
        zone_id: "zone_curb",
        stall_id: "stall_a",
        stall_label: "A1",
        bot_label: "Blue 7",
        occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/) as string,
      })
      expect(Date.parse(String(body["occurred_at"]))).toBe(atMs)
      const headers = new Headers(requests[0]?.headers)
      expect(headers.get("content-type")).toBe("application/json")
      expect(headers.get("user-agent")).not.toBeNull()
      expect(headers.get("x-service-attempt-id")).toBe(body["attempt_id"])
      expect(headers.get("x-service-signature")).toBeNull()
      expect(requests[0]?.atMs).toBe(atMs)
    })

    test("O3: with a secret every attempt is signed for its time over the same bytes; rotated, by the new one", async () => {
      const h = make()
      h.script(OPEN_LINK, [FAILS])
      const { secret } = await h.run(openLinkSecrets.rotate(partner))
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      await h.advance(1_000)
      const { secret: rotated } = await h.run(openLinkSecrets.rotate(partner))
      await h.advance(10_000)
      await h.run(openLinkSecrets.clear(partner))
      await h.advance(MINUTE_MS)
      const requests = h.received(OPEN_LINK)
      const signers = requests.map((one) => [isSignedWith(secret, one), isSignedWith(rotated, one)])
      expect(signers).toEqual([
        [true, false],
        [false, true],
        [false, false],
      ])
      expect(requests[2]?.headers["X-Service-Signature"]).toBeUndefined()
      expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
    })

    test("O3: a secret belongs to one organization and environment, and is shown once", async () => {
      const h = make()
      const { secret } = await h.run(openLinkSecrets.rotate(stranger))
      await h.run(openLinkSecrets.rotate(sandboxPartner))
      expect(await h.run(openLinkSecrets.show(partner))).toBeNull()
      expect(await h.run(openLinkSecrets.show(stranger))).toEqual({
        secret: `…${secret.slice(-4)}`,
        updatedAtMs: h.now(),
      })
      await h.run(openLinkSecrets.clear(partner))
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      await h.advance(1_000)
      expect(h.received(OPEN_LINK)[0]?.headers["X-Service-Signature"]).toBeUndefined()
    })

    test("the label of the READY report itself is in the body", async () => {
      const h = make()
      const id = await booked(h)
      await bringTo(h, id, "AT_UNIT")
      await report(h, id, "READY_FOR_HANDOFF", { label: "Red 2" })
      await h.advance(1_000)
      expect(h.received(OPEN_LINK)[0]?.body).toContain('"bot_label":"Red 2"')
    })

    test.each(["QUEUED", "AT_STORE", "RETRIEVED", "AT_UNIT"] as const)(
      "with the handoff %s nothing is opened",
      async (status) => {
        const h = make()
        const id = await booked(h)
        await bringTo(h, id, status)
        if (status !== "AT_UNIT") await report(h, id, "READY_FOR_HANDOFF")
        await h.advance(1_000)
        expect(h.received(OPEN_LINK)).toEqual([])
      },
    )

    test("O4 and O5: after failures 5 and 15 seconds apart, the third makes access_failed", async () => {
      const h = make()
      h.script(OPEN_LINK, [FAILS])
      const id = await booked(h)
      await bringTo(h, id, "AT_UNIT")
      await subscribe(h)
      await report(h, id, "READY_FOR_HANDOFF")
      await h.advance(5 * MINUTE_MS)
      const requests = h.received(OPEN_LINK)
      expect(sinceFirst(requests)).toEqual([0, 5_100, 20_200])
      expect(await toldInShort(h)).toEqual(["exception access_failed"])
      expect(handoffOf(await seen(h, id)).status).toBe("HANDOFF_READY")
    })

    test("O1: every retry sends the same bytes and the same attempt id, whatever changed meanwhile", async () => {
      const h = make()
      h.script(OPEN_LINK, [FAILS])
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      await h.advance(1_000)
      await report(h, id, "READY_FOR_HANDOFF", { label: "another label" })
      await h.advance(MINUTE_MS)
      const requests = h.received(OPEN_LINK)
      expect(requests).toHaveLength(3)
      expect(new Set(requests.map((request) => request.body)).size).toBe(1)
      expect(new Set(requests.map((request) => request.headers["X-Service-Attempt-Id"])).size).toBe(1)
    })

    test.each<[string, EndpointAnswer]>([
      ["a redirect", { type: "status", status: 302, afterMs: 100 }],
      ["404", { type: "status", status: 404, afterMs: 100 }],
      ["no connection", { type: "refused" }],
      ["no answer within 5 seconds", { type: "timeout" }],
      ["2xx after more than 5 seconds", { type: "status", status: 200, afterMs: 5_001 }],
    ])("O4: %s is a failed attempt", async (_, answer) => {
      const h = make()
      h.script(OPEN_LINK, [answer, OPENS])
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      await h.advance(MINUTE_MS)
      expect(h.received(OPEN_LINK)).toHaveLength(2)
    })

    test.each([200, 201, 204, 299])("O5: after a %i it is not called again", async (status) => {
      const h = make()
      h.script(OPEN_LINK, [FAILS, { type: "status", status, afterMs: 4_999 }])
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      await subscribe(h)
      await h.advance(5 * MINUTE_MS)
      expect(h.received(OPEN_LINK)).toHaveLength(2)
      expect(await toldInShort(h)).toEqual([])
      expect(await codeOf(h, runner.retryOpenLink(app, id))).toBe("INVALID_STATE")
    })

    test("O5: the runner tries again: a new attempt id, three new attempts, and access_failed again", async () => {
      const h = make()
      h.script(OPEN_LINK, [FAILS])
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      await subscribe(h)
      expect(await codeOf(h, runner.retryOpenLink(app, id))).toBe("INVALID_STATE")
      await h.advance(MINUTE_MS)
      await h.run(runner.retryOpenLink(app, id))
      await h.advance(MINUTE_MS)
      const requests = h.received(OPEN_LINK)
      expect(requests).toHaveLength(6)
      expect(new Set(requests.slice(3).map((request) => request.body)).size).toBe(1)
      expect(attemptId(requests[3])).not.toBe(attemptId(requests[0]))
      expect(await toldInShort(h)).toEqual(["exception access_failed", "exception access_failed"])
    })

    test.each(["cancel", "abort", "load", "secure", "depart"] as const)(
      "O6: %s drops the remaining attempts",
      async (how) => {
        const h = make()
        h.script(OPEN_LINK, [FAILS])
        const id = await booked(h)
        await bringTo(h, id, "HANDOFF_READY")
        await h.advance(1_000)
        await subscribe(h, { events: ["reservation.exception"] })
        if (how === "cancel") await h.run(reservations.cancel(partner, id))
        else if (how === "load") await h.run(runner.load(app, id, PHOTO))
        else await report(h, id, ({ abort: "ABORTED", secure: "SECURED", depart: "DEPARTED" } as const)[how])
        await h.advance(5 * MINUTE_MS)
        expect(h.received(OPEN_LINK)).toHaveLength(1)
        expect(await toldInShort(h)).toEqual([])
      },
    )

    test("O6: an attempt under way when the task ends changes nothing when it fails", async () => {
      const h = make()
      h.script(OPEN_LINK, [{ type: "timeout" }])
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      await h.advance(1_000)
      await h.run(reservations.cancel(partner, id))
      await h.advance(5 * MINUTE_MS)
      expect(h.received(OPEN_LINK)).toHaveLength(1)
    })

    test.each(["private", "unknown", "unavailable"] as const)(
      "G18: the host is looked up at every attempt: one that is %s by then gets no request",
      async (fault) => {
        const h = make()
        const id = await booked(h)
        await bringTo(h, id, "AT_UNIT")
        h.breakHost("open.partner.example", fault)
        await subscribe(h)
        await report(h, id, "READY_FOR_HANDOFF")
        await h.advance(1_000)
        expect(h.received(OPEN_LINK)).toEqual([])
        h.breakHost("open.partner.example", null)
        await h.advance(MINUTE_MS)
        expect(h.received(OPEN_LINK)).toHaveLength(1)
        expect(await toldInShort(h, HOOK)).toEqual([])
      },
    )

    test("the time in the body is that of the first attempt", async () => {
      const h = make()
      h.script(OPEN_LINK, [FAILS])
      const id = await booked(h)
      await bringTo(h, id, "HANDOFF_READY")
      const atMs = h.now()
      await h.advance(MINUTE_MS)
      const last = JSON.parse(h.received(OPEN_LINK).at(-1)?.body ?? "{}") as { occurred_at: string }
      expect(iso(Date.parse(last.occurred_at))).toBe(iso(atMs))
    })
  })
}
