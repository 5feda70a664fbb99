/** An errand as a conversation: what a model says is carried out, and what it hears. */

import { expect, test } from "vitest"
import { ErrandChat } from "../../../src/simulation/errands/chat.ts"
import { FORTY_ERRANDS } from "../../../src/simulation/errands/forty/forty-errands.ts"

const VERSION = "2026-09-27"

function chatOf(name: string) {
  const errand = FORTY_ERRANDS.find((one) => one.name === name)
  if (errand === undefined) throw new Error(`there is no errand "${name}"`)
  const chat = new ErrandChat(errand)
  let calls = 0
  /** Says one call, and gives what the model hears. */
  const say = (tool: string, args: object | string): string => {
    calls += 1
    const text = typeof args === "string" ? args : JSON.stringify(args)
    chat.take({ tool_calls: [{ id: `call_${calls}`, function: { name: tool, arguments: text } }] })
    return (chat.messages.at(-1) as { readonly content: string }).content
  }
  const keyed = (args: object): object => ({
    ...args,
    idempotency_key: `chat-${String(calls).padStart(4, "0")}`,
  })
  return { chat, say, keyed }
}

test("a model brings a lunch to the door, and hears what happens meanwhile", () => {
  const { chat, say, keyed } = chatOf("the user remembers the notes for the door later")
  const address = { street: "11410 Century Oaks Terrace", city: "Austin", state: "TX", zip: "78758" }
  const checked = say(
    "check_delivery",
    keyed({
      retailer_name: "Lunchbox Kitchen",
      store_address: address,
      dropoff_address: { ...address, street: "1 River Road", location: { lat: 30.41, lng: -97.72 } },
      requested_timing: { type: "asap" },
      pickup_methods_offered: ["curbside"],
    }),
  )
  const { delivery_id } = JSON.parse(checked) as { readonly delivery_id: string }
  expect(JSON.parse(say("ask_user", { about: "consent", question: "Fine?" }))).toEqual({ isYes: true })
  const held = say(
    "reserve_delivery",
    keyed({
      delivery_id,
      customer: { first_name: "Ada", last_name: "Example" },
      contact: {},
      contact_consent: { granted: true, consent_version: VERSION },
      terms_acknowledged: { accepted: true, terms_version: VERSION },
      pickup_requirements_seen: [],
    }),
  )
  expect(held).toContain('Meanwhile: {"type":"told","facts":[{"about":"dropoff notes: how to find the door"')
  const paid = JSON.parse(say("ask_user", { about: "payment", question: "How?" })) as {
    readonly token: string
  }
  const payment = { shared_payment_token: paid.token }
  say("update_delivery", keyed({ delivery_id, update_type: "payment", payment }))
  const items = [{ name: "Tomato soup", quantity: 2 }]
  expect(say("place_store_order", { items, pickup_time: "asap" })).toContain('"value":"1001"')
  say(
    "confirm_delivery",
    keyed({ delivery_id, order_number: "1001", items, confirmation_text: "Thank you!" }),
  )
  expect(say("wait", { seconds: 3_600 })).toMatch(/^It is 2026-03-02T18:3\d:/)
  expect(say("get_delivery_status", { delivery_id })).toContain('"state":"completed"')
  expect(chat.take({ content: "Enjoy your lunch." })).toBe(false)
  expect(chat.result()).toMatchObject({ endedRight: true, traffic: { toolCalls: 5, polls: 1 } })
})

test("arguments that are no JSON, and a tool that is not there, are answered and not fatal", () => {
  const { chat, say } = chatOf("a pub")
  expect(say("check_delivery", "{")).toBe("The arguments are no JSON object.")
  expect(say("order_pizza", {})).toBe("Unknown tool: order_pizza")
  expect(say("get_delivery_status", {})).toMatch(/^Invalid arguments for tool get_delivery_status/)
  expect(say("cancel_store_order", {})).toBe("The store order is cancelled.")
  expect(chat.take({ content: "I give up." })).toBe(false)
  expect(chat.result()).toMatchObject({ endedRight: false, found: { state: null, declineReason: null } })
})

test("a model that never ends is stopped", () => {
  const { chat } = chatOf("a pub")
  const waiting = { tool_calls: [{ id: "w", function: { name: "wait", arguments: '{"seconds":1}' } }] }
  let turns = 1
  while (chat.take(waiting)) turns += 1
  expect(chat.result().deadEnd).toBe(`no end after ${turns} turns`)
})
