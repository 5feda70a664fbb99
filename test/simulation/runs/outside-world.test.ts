/** The outside world of a run: what it keeps of the requests that reached it. */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { OutboundHttp } from "../../../src/engine/services/outbound/outbound-http.ts"
import { OutsideWorld } from "../../../src/simulation/outside-world.ts"

const URL = "https://hooks.partner.example/all"

/** Sends this many requests to an endpoint that refuses every connection. */
function afterSending(count: number, world: OutsideWorld): readonly string[] {
  world.script(URL, [{ type: "refused" }])
  const send = (body: string) =>
    Effect.flatMap(OutboundHttp, (http) =>
      http.post({ url: URL, addresses: [], headers: {}, body, timeoutMs: 1 }),
    )
  const bodies = Array.from({ length: count }, (_, at) => String(at))
  Effect.runSync(Effect.provide(Effect.forEach(bodies, send, { discard: true }), world.layer))
  return world.received.map(({ body }) => body)
}

test("a recorded run keeps every request", () => {
  expect(afterSending(3_000, new OutsideWorld())).toHaveLength(3_000)
})

test("a run that keeps no record keeps the latest requests, and counts on", () => {
  const world = new OutsideWorld({ keptMax: 3 })
  expect(afterSending(100, world)).toEqual(["96", "97", "98", "99"])
  expect(world.received.at(-1)?.number).toBe(100)
})
