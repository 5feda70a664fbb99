/** What an agent types at the store's checkout: of the vehicle, never of a person. */

import { beforeEach, expect, test } from "vitest"
import { memoryHarness } from "../conformance/memory.ts"
import { Errands } from "../payments/errands.ts"

let errands: Errands

beforeEach(async () => {
  errands = new Errands(memoryHarness())
  await errands.park()
})

test("the pickup profile is the vehicle's, word for word", async () => {
  const { answer } = await errands.held()
  expect(answer.pickup_profile).toEqual({
    vehicle: {
      make: "Curbline",
      model: "Courier One",
      color: "white",
      description: "white Curbline Courier One, an autonomous delivery vehicle",
    },
    pickup_phone: "+15125550199",
    pickup_phone_note: "Voice calls only: this number takes no text messages.",
    order_contact_email: "Use the customer's own e-mail address for the store order.",
    notes_for_retailer: [
      "Curbside pickup by an autonomous vehicle.",
      "It calls on arrival; please bring the order out and put it into the open compartment.",
      "The curbside stalls are on the north side.",
    ].join(" "),
  })
})

test("it has no name, no plate and no number of the customer, whatever the agent sends", async () => {
  const { answer } = await errands.held({
    contact: { phone: "+15125550100", email: "ada@example.com" },
    alternate_pickup_person_supported: true,
    pickup_requirements_notes: "They ask for a license plate",
  })
  expect(answer.state).toBe("held")
  const text = JSON.stringify(answer.pickup_profile)
  expect(text).not.toMatch(/Ada|Example|ada@|5550100|plate|license/)
})

test("the payment names the fee, the account and a link, and asks for the user's approval", async () => {
  const { answer } = await errands.held()
  expect(answer.payment).toEqual({
    amount_cents: 495,
    currency: "usd",
    seller_profile_id: "profile_curbline",
    checkout_url: expect.stringMatching(/^https:\/\/courier\.example\/pay\/dlv_/) as string,
    instruction:
      "Ask the user to approve the 4.95 USD delivery fee, charged separately from the store order, before sending a payment.",
  })
  expect(answer.released_delivery_ids).toEqual([])
})

test("the store's address comes back without unit and place", async () => {
  const { answer } = await errands.held()
  expect(answer.store_address).toEqual({
    street: "11410 Century Oaks Terrace",
    city: "Austin",
    state: "TX",
    zip: "78758",
  })
})
