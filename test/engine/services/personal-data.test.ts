/** No personal data by construction: what people wrote stays in rows, and reaches neither journal nor contexts. */

import { describe, expect, test } from "vitest"
import { persistGroup } from "../../../src/engine/kernel/group.ts"
import { DAY_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import {
  app,
  booking,
  partner,
  report,
  reservations,
  runner,
  sandboxPartner,
  told,
  walk,
  webhooks,
} from "../../conformance/harness.ts"
import { memoryHarness } from "../../conformance/memory.ts"
import type { MemoryHarness } from "../../conformance/memory.ts"
import { EVENT_TYPES } from "../../../src/model/webhook.ts"

const PLANTED = {
  name: "Wilhelmina Quetzal",
  phone: "+15125559876",
  order: "ORDER-PLANTED-77",
  pickupRef: "PICKUP-PLANTED-78",
  openLink: "https://planted-door.partner.example/open-planted",
  hook: "https://planted-hook.partner.example/hook-planted",
  otherHook: "https://planted-other.partner.example/other-planted",
  label: "Label planted on the bot",
  otherLabel: "Another label planted",
  abort: "Planted reason of the abort",
  cancel: "Planted reason of the cancel",
  message: "Planted message of the runner",
  sandboxMessage: "Planted message of the sandbox",
  key: "planted-idempotency-key",
}

/** Everything that people write, written once; every path that a text could take is walked. */
async function live(h: MemoryHarness): Promise<readonly string[]> {
  const secrets: string[] = []
  for (const caller of [partner, sandboxPartner]) {
    const endpoint = await h.run(
      webhooks.register(caller, { url: PLANTED.hook, subscribed_events: EVENT_TYPES }),
    )
    const rotated = await h.run(webhooks.change(caller, endpoint.webhook_id, { rotate_secret: true }))
    secrets.push(endpoint.secret, rotated.secret)
    if (caller === partner)
      await h.run(webhooks.change(caller, endpoint.webhook_id, { url: PLANTED.otherHook }))
  }
  h.script(PLANTED.openLink, [{ type: "status", status: 500, afterMs: 10 }])
  h.script(PLANTED.otherHook, [
    { type: "status", status: 500, afterMs: 10 },
    { type: "timeout" },
    { type: "refused" },
  ])
  const request = booking(h, {
    order_number: PLANTED.order,
    end_user_name: PLANTED.name,
    end_user_phone: PLANTED.phone,
    open_link_url: PLANTED.openLink,
    retailer_pickup_ref: PLANTED.pickupRef,
  })
  const one = (await h.run(reservations.create(partner, request, PLANTED.key))).reservation.reservation_id
  await report(h, one, "INBOUND", { label: PLANTED.label, reason: PLANTED.abort })
  await h.run(runner.assign(app, one, "run_1"))
  await h.run(runner.atStore(app, one))
  await h.run(runner.raise(app, one, "stall_blocked", PLANTED.message))
  await h.run(runner.orderInHand(app, one))
  await h.run(runner.atUnit(app, one))
  await report(h, one, "READY_FOR_HANDOFF", { label: PLANTED.otherLabel })
  await h.advance(2 * MINUTE_MS)
  await h.run(reservations.cancel(partner, one, PLANTED.cancel))
  const two = (await h.run(reservations.create(partner, { ...request, order_number: `${PLANTED.order}-2` })))
    .reservation
  await report(h, two.reservation_id, "ABORTED", { label: PLANTED.label, reason: PLANTED.abort })
  const three = (await h.run(reservations.create(sandboxPartner, request))).reservation.reservation_id
  await h.run(
    walk.advance(sandboxPartner, three, { reason_code: "bot_mismatch", message: PLANTED.sandboxMessage }),
  )
  for (let count = 0; count < 9; count += 1) await h.run(walk.advance(sandboxPartner, three, {}))
  await told(h, PLANTED.hook)
  await h.advance(DAY_MS)
  return secrets
}

describe("personal data", () => {
  test("names, numbers, labels, reasons, URLs, secrets and messages stand in no journal entry and no context", async () => {
    const h = memoryHarness()
    const secrets = await live(h)
    const { host, world } = h.service
    const words = [...Object.values(PLANTED), ...secrets, ...secrets.map((secret) => secret.slice(-12))]
    const hosts = [PLANTED.openLink, PLANTED.hook, PLANTED.otherHook].map((url) => new URL(url).host)
    const sought = [...words, ...hosts]
    const journal = host.entries.map(({ entry }) => entry.text)
    const groups = host.groups.all().map((group) => JSON.stringify(persistGroup(group)))
    expect(journal.length).toBeGreaterThan(40)
    expect(groups.length).toBeGreaterThan(10)
    for (const word of sought) {
      expect(journal.filter((text) => text.includes(word))).toEqual([])
      expect(groups.filter((text) => text.includes(word))).toEqual([])
    }
    // The texts were really carried: each person's word reached the receivers that it belongs to.
    const sent = world.received.map(({ body }) => body).join("\n")
    for (const word of [
      PLANTED.name,
      PLANTED.phone,
      PLANTED.label,
      PLANTED.cancel,
      PLANTED.message,
      PLANTED.sandboxMessage,
    ]) {
      expect(sent).toContain(word)
    }
  })

  test("the journal's search would find a planted word", async () => {
    const h = memoryHarness()
    await live(h)
    const journal = h.service.host.entries.map(({ entry }) => entry.text).join("\n")
    expect(journal).toContain("retailer_grocer")
    expect(journal).toContain("run_1")
  })
})
