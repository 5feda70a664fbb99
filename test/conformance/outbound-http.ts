/** The contract of OutboundHttp: one POST, its status or why there is none, within the attempt's time. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { OutboundHttp, failureOf, isAccepted } from "../../src/engine/services/outbound/outbound-http.ts"
import type { OutboundAnswer, OutboundRequest } from "../../src/engine/services/outbound/outbound-http.ts"
import type { EndpointAnswer, Received } from "./harness.ts"

export interface OutboundHttpHarness {
  readonly run: <A, E>(effect: Effect.Effect<A, E, OutboundHttp>) => Promise<A>
  readonly now: () => number
  /** A URL that answers as scripted, and the addresses that its host resolves to. */
  readonly endpoint: { readonly url: string; readonly addresses: readonly string[] }
  readonly script: (answers: readonly EndpointAnswer[]) => void
  readonly received: () => readonly Received[]
}

export function outboundHttpContract(name: string, make: () => OutboundHttpHarness): void {
  const post = (h: OutboundHttpHarness, more: Partial<OutboundRequest> = {}): Promise<OutboundAnswer> =>
    h.run(
      Effect.flatMap(OutboundHttp, (http) =>
        http.post({
          url: h.endpoint.url,
          headers: { "Content-Type": "application/json", "X-Service-Event-Id": "evt_1" },
          body: '{"a": "ö"}',
          timeoutMs: 5_000,
          addresses: h.endpoint.addresses,
          ...more,
        }),
      ),
    )

  describe(`outbound http: ${name}`, () => {
    test("the receiver gets the body and the headers as they were given", async () => {
      const h = make()
      await post(h)
      const [request] = h.received()
      expect(h.received()).toHaveLength(1)
      expect(request?.body).toBe('{"a": "ö"}')
      const headers = new Headers(request?.headers)
      expect(headers.get("content-type")).toBe("application/json")
      expect(headers.get("x-service-event-id")).toBe("evt_1")
    })

    test.each([200, 201, 204, 299])("status %i is an answer, and accepted", async (status) => {
      const h = make()
      h.script([{ type: "status", status, afterMs: 20 }])
      const answer = await post(h)
      expect(answer).toEqual({ type: "answered", status })
      expect(isAccepted(answer)).toBe(true)
    })

    test.each([300, 301, 307, 400, 404, 410, 429, 500, 503])(
      "status %i is an answer that is not accepted; a redirect is not followed",
      async (status) => {
        const h = make()
        h.script([{ type: "status", status, afterMs: 20 }])
        const answer = await post(h)
        expect(answer).toEqual({ type: "answered", status })
        expect(isAccepted(answer)).toBe(false)
        expect(failureOf(answer)).toBe(`status_${status}`)
        expect(h.received()).toHaveLength(1)
      },
    )

    test("an endpoint that does not answer in time is a time-out, at the limit", async () => {
      const h = make()
      h.script([{ type: "timeout" }])
      const fromMs = h.now()
      const answer = await post(h, { timeoutMs: 1_000 })
      expect(answer).toEqual({ type: "unanswered", reason: "timeout" })
      expect(h.now() - fromMs).toBeGreaterThanOrEqual(1_000)
      expect(h.now() - fromMs).toBeLessThan(5_000)
      expect(failureOf(answer)).toBe("timeout")
    })

    test("an answer after the limit is a time-out too", async () => {
      const h = make()
      h.script([{ type: "status", status: 200, afterMs: 1_500 }])
      expect(await post(h, { timeoutMs: 1_000 })).toEqual({ type: "unanswered", reason: "timeout" })
    })

    test("an endpoint that takes no connection is said to be so", async () => {
      const h = make()
      h.script([{ type: "refused" }])
      const answer = await post(h)
      expect(answer).toEqual({ type: "unanswered", reason: "connection_failed" })
      expect(isAccepted(answer)).toBe(false)
    })
  })
}
