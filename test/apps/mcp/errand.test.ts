/** Agents with the SDK's own clients and their OAuth: each from nothing to a delivered order, and back to nothing. */

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { DEMO_STORES } from "../../../src/areas/courier/directory/demo-stores.ts"
import { MINUTE_MS, isoMs } from "../../../src/model/values/time.ts"
import { AGENT_KINDS, AgentMemory, callTool } from "./agent.ts"
import type { Agent } from "./agent.ts"
import { bridgeTests } from "./bridge-cases.ts"
import { CALLBACK, PHONE, startConnector } from "./running-connector.ts"
import type { RunningConnector } from "./running-connector.ts"

const [STORE] = DEMO_STORES
const DOOR = { latitude: 30.41, longitude: -97.72 }

let connector: RunningConnector

beforeAll(async () => {
  connector = await startConnector()
})

describe.each(Object.entries(AGENT_KINDS))("%s", (name, kind) => {
  const memory = new AgentMemory()
  let client: Agent["client"]
  /** The one that was turned away: it has learnt where the metadata is. */
  let turnedAway: Agent

  afterAll(() => client.close())

  /** Reconnects with the agent's stored data. */
  async function connect(): Promise<void> {
    const agent = kind.make(connector.mcpUrl, memory)
    await agent.connect()
    client = agent.client
  }

  /** Of a delivery that there is not; an agent may keep a list, but never this. */
  async function askStatus(): Promise<string | undefined> {
    const asked = await callTool(client, "get_delivery_status", { delivery_id: `dlv_${"z".repeat(22)}` })
    return asked.error?.code
  }

  /** Keys are kept for the user, whom all agents have. */
  const keyed = (key: string): { readonly idempotency_key: string } => ({ idempotency_key: `${key} ${name}` })

  test("a first connection is refused; the client finds the linking page by the refusal and registers itself", async () => {
    turnedAway = kind.make(connector.mcpUrl, memory)
    await expect(turnedAway.connect()).rejects.toThrow(kind.Unauthorized)
    expect(memory.client?.client_id).toMatch(/^mc_/)
    const [authorization] = memory.sentTo
    expect(Object.fromEntries(authorization?.searchParams ?? [])).toMatchObject({
      response_type: "code",
      redirect_uri: CALLBACK,
      resource: `${connector.origin}/api/delivery-mcp`,
      scope: "courier:write",
      code_challenge_method: "S256",
    })
  })

  test("the user types number and code, and the agent gets its tokens", async () => {
    const [authorization = new URL("missing:")] = memory.sentTo
    const location = await connector.consent(authorization)
    expect(location.href.startsWith(`${CALLBACK}?`)).toBe(true)
    expect(location.searchParams.get("state")).toBe("state of the agent")
    await turnedAway.finish(location)
    expect(memory.granted).toMatchObject({ token_type: "Bearer", scope: "courier:write", expires_in: 3600 })
    await connect()
    expect(client.getServerVersion()?.name).toBe("courier-connector")
    expect(client.getInstructions()).toContain("check_delivery")
    if ("getNegotiatedProtocolVersion" in client)
      expect(client.getNegotiatedProtocolVersion()).toBe(kind.revision)
  })

  test("it reads the tools and the description", async () => {
    expect((await client.listTools()).tools).toHaveLength(6)
    const card = await client.readResource({ uri: "ui://courier/delivery" })
    expect(card.contents).toMatchObject([{ text: expect.stringMatching(/^<!doctype html>/) }])
    const { contents } = await client.readResource({ uri: "courier://description" })
    expect(contents).toMatchObject([{ text: expect.stringContaining("## Call order") }])
  })

  test("the whole errand: each answer's next_step names the next call, up to the door", async () => {
    const checked = await callTool(client, "check_delivery", {
      retailer_name: STORE?.name,
      store_address: { street: STORE?.street, city: "Austin", state: "TX", zip: STORE?.zip },
      dropoff_address: {
        street: "1 River Road",
        city: "Austin",
        state: "TX",
        zip: "78758",
        location: {
          lat: DOOR.latitude,
          lng: DOOR.longitude,
        },
      },
      requested_timing: { type: "asap" },
      pickup_methods_offered: ["curbside", "counter"],
      ...keyed("check-0001"),
    })
    expect(checked).toMatchObject({
      state: "quoted",
      serviceable: true,
      price: { amount: "4.95", currency: "usd" },
    })
    expect(checked.next_step).toMatch(/^Call reserve_delivery/)
    const { delivery_id } = checked

    const held = await callTool(client, "reserve_delivery", {
      delivery_id,
      customer: { first_name: "Ada", last_name: "Example" },
      contact: {},
      contact_consent: { granted: true, consent_version: checked.consent?.version },
      terms_acknowledged: { accepted: true, terms_version: checked.terms?.version },
      pickup_requirements_seen: [],
      ...keyed("reserve-0001"),
    })
    expect(held).toMatchObject({ state: "held", payment_status: "pending", fee_cents: 495 })
    expect(held.next_step).toContain("update_delivery")
    await payByHand(held.payment?.checkout_url ?? "")

    const noted = await callTool(client, "update_delivery", {
      delivery_id,
      update_type: "dropoff_notes",
      dropoff_notes: "The blue door",
      ...keyed("update-0001"),
    })
    expect(noted).toMatchObject({ state: "held", payment_status: "authorized" })
    expect(noted.payment?.checkout_url).toBeUndefined()

    const booked = await callTool(client, "confirm_delivery", {
      delivery_id,
      order_number: "1001",
      items: [{ name: "Tomato soup", quantity: 2 }],
      confirmation_text: "Thank you, Ada!",
      ...keyed("confirm-0001"),
    })
    expect(booked).toMatchObject({ payment_status: "captured" })
    expect(booked.next_step).toContain("get_delivery_status")
    const page = async (): Promise<string> => (await fetch(booked.tracking_url ?? "")).text()
    expect(await page()).toContain("Lunchbox Kitchen")

    const store = STORE?.place ?? DOOR
    const beside = { ...store, latitude: store.latitude + 0.0001 }
    await drive([[{ ...store, latitude: store.latitude + 0.01 }], [beside], [beside, "loaded"]])
    const midway = { latitude: (store.latitude + DOOR.latitude) / 2, longitude: store.longitude }
    await drive([[midway]])
    const moving = await callTool(client, "get_delivery_status", { delivery_id })
    expect(moving).toMatchObject({
      state: "en_route_to_customer",
      vehicle_location: { lat: midway.latitude },
    })
    expect(await page()).toContain("On the way to you")
    await drive([[DOOR], [DOOR, "unloaded"]])

    const done = await callTool(client, "get_delivery_status", { delivery_id })
    expect(done).toMatchObject({ state: "completed", next_step: "No further call is needed." })
    const html = await page()
    expect(html).toContain("Delivered")
    for (const personal of ["Ada", "blue door", "River Road", PHONE, "0142"])
      expect(html).not.toContain(personal)
  })

  test("another errand is cancelled, and one that is not there is not found", async () => {
    const checked = await callTool(client, "check_delivery", {
      retailer_name: STORE?.name,
      store_address: { street: STORE?.street, city: "Austin", state: "TX", zip: STORE?.zip },
      dropoff_address: { street: "1 River Road", city: "Austin", state: "TX", zip: "78758" },
      requested_timing: { type: "asap" },
      pickup_methods_offered: ["curbside"],
      ...keyed("check-0002"),
    })
    const args = { delivery_id: checked.delivery_id, ...keyed("cancel-0002") }
    expect(await callTool(client, "cancel_delivery", args)).toMatchObject({
      state: "cancelled",
      charged_cents: 0,
    })
    expect(await askStatus()).toBe("not_found")
  })

  test("X2 and X12: no curbside pickup is a decline, not a bad argument; it is stored, and its repeat is the same", async () => {
    const args = checking({ pickup_methods_offered: ["counter"], ...keyed("check-x002") })
    const declined = await callTool(client, "check_delivery", args)
    expect(declined).toMatchObject({ serviceable: false, state: "declined", decline_reason: "no_curbside" })
    expect(declined.error).toBeUndefined()
    expect(await callTool(client, "check_delivery", args)).toEqual(declined)
  })

  test("X1 and X3: an app to check in with declines; what is too late declines a check and refuses a change", async () => {
    const start = connector.now() + 91 * MINUTE_MS
    const requested_timing = { type: "window", start: isoMs(start), end: isoMs(start + 30 * MINUTE_MS) }
    const late = await callTool(
      client,
      "check_delivery",
      checking({ requested_timing, ...keyed("check-x003") }),
    )
    expect(late).toMatchObject({ state: "declined", decline_reason: "timing_not_feasible" })
    const { delivery_id, consent, terms } = await callTool(
      client,
      "check_delivery",
      checking({ ...keyed("check-x001") }),
    )
    const reserving = {
      delivery_id,
      customer: { first_name: "Ada", last_name: "Example" },
      contact: {},
      contact_consent: { granted: true, consent_version: consent?.version },
      terms_acknowledged: { accepted: true, terms_version: terms?.version },
      pickup_requirements_seen: ["none"],
    }
    const intended_slot = { id: "s-9", start: requested_timing.start, end: requested_timing.end }
    const tooLate = { ...reserving, intended_slot, ...keyed("reserve-x3") }
    const refused = await callTool(client, "reserve_delivery", tooLate)
    expect([refused.error?.code, refused.state]).toEqual(["timing_not_feasible", "quoted"])
    const byApp = { ...reserving, check_in_method: "app_only", ...keyed("reserve-x1") }
    expect(await callTool(client, "reserve_delivery", byApp)).toMatchObject({
      state: "declined",
      decline_reason: "disqualifying_requirement",
      disqualifying_requirements: ["app_only_check_in"],
    })
    // A refusal was not stored: a retry with its key is a new call, with another answer.
    expect((await callTool(client, "reserve_delivery", tooLate)).error?.code).toBe("invalid_state")
  })

  test("a token that has expired is refreshed in passing", async () => {
    const before = memory.granted?.access_token
    await connector.advance(3_600_000)
    expect(await askStatus()).toBe("not_found")
    expect(memory.granted?.access_token).not.toBe(before)
  })

  test("once everything is revoked, the agent must ask the user again", async () => {
    const { client_id } = memory.client ?? { client_id: "" }
    const revoked = await fetch(`${connector.origin}/api/delivery-mcp/oauth/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: memory.granted?.refresh_token ?? "", client_id }),
    })
    expect(revoked.status).toBe(200)
    const asked = memory.sentTo.length
    await expect(askStatus()).rejects.toThrow(kind.Unauthorized)
    expect(memory.sentTo.length).toBe(asked + 1)
  })
})

bridgeTests(() => connector)

test("the journal of all that replays to the same hashes, without names of people", async () => {
  const { difference, entries, text } = await connector.close()
  expect(difference).toBeNull()
  expect(entries).toBeGreaterThan(5)
  for (const said of ["Ada", "blue door", "River Road", "Thank you", PHONE]) expect(text).not.toContain(said)
})

/** Fixes a minute apart. */
async function drive(
  fixes: readonly (readonly [place: typeof DOOR, load?: "loaded" | "unloaded"])[],
): Promise<void> {
  for (const [place, load] of fixes) {
    await connector.advance(60_000)
    await connector.report(place, load)
  }
}

async function payByHand(checkoutUrl: string): Promise<void> {
  expect(await (await fetch(checkoutUrl)).text()).toContain("$4.95")
  const paid = await fetch(checkoutUrl, {
    method: "POST",
    body: new URLSearchParams({ instrument: "spt_ok_checkout" }),
  })
  expect(await paid.text()).toContain("already paid")
}

const checking = (more: object) => ({
  retailer_name: STORE?.name,
  store_address: { street: STORE?.street, city: "Austin", state: "TX", zip: STORE?.zip },
  dropoff_address: { street: "1 River Road", city: "Austin", state: "TX", zip: "78758" },
  requested_timing: { type: "asap" },
  pickup_methods_offered: ["curbside"],
  ...more,
})
