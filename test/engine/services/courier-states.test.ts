/** Every tool in every state, as an agent is answered: the connector's table, state by state, over the simulated service. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { COURIER_STATES } from "../../../src/model/courier.ts"
import type { CourierEnvelope, CourierState } from "../../../src/model/courier.ts"
import { COURIER_STAGES, STAGES_BY_FIELD, holdsAt } from "../../../src/model/courier-fields.ts"
import type { CourierField, CourierStage } from "../../../src/model/courier-fields.ts"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { CourierOperations } from "../../../src/areas/courier/courier-operations.ts"
import type { Agent } from "../../conformance/courier-agent.ts"
import { WAY, codeOf, drive, ready } from "../../conformance/courier-agent.ts"
import type { ServicesHarness } from "../../conformance/harness.ts"
import { START_MS, memoryHarness } from "../../conformance/memory.ts"

interface Stage {
  readonly h: ServicesHarness
  readonly agent: Agent
}

async function driven({ h, agent }: Stage, state: CourierState): Promise<string> {
  const id = await agent.booked()
  for (const [metres, load] of WAY) {
    if ((await agent.status(id)).state === state) return id
    await drive(h, metres, load)
  }
  return id
}

function paid({ agent }: Stage, pays: boolean): Promise<string> {
  return pays ? agent.authorized() : agent.held()
}

interface Row {
  readonly name: string
  /** What it reads as. */
  readonly state: CourierState
  /** An errand there; with a payment where the errand can have one and the tool needs it. */
  readonly bring: (stage: Stage, pays: boolean) => Promise<string>
  readonly reserve: string
  readonly confirm: string
  readonly payment: string
  readonly other: string
  readonly notes: string
  readonly cancel: string
}

const NOTHING = {
  reserve: "invalid_state",
  confirm: "invalid_state",
  payment: "invalid_state",
  other: "invalid_state",
  notes: "invalid_state",
  cancel: "invalid_state",
} as const

/** From the booking until the vehicle has the order. */
function beforeLoading(state: CourierState): Row {
  return {
    ...NOTHING,
    name: state,
    state,
    bring: (stage) => driven(stage, state),
    other: state,
    notes: state,
    cancel: "cancelled",
  }
}

function onBoard(state: CourierState): Row {
  return { ...NOTHING, name: state, state, bring: (stage) => driven(stage, state), notes: state }
}

const ROWS: readonly Row[] = [
  {
    ...NOTHING,
    name: "quoted, never reserved",
    state: "quoted",
    bring: ({ agent }) => agent.quoted(),
    reserve: "held",
    cancel: "cancelled",
  },
  {
    name: "held",
    state: "held",
    bring: paid,
    reserve: "held",
    confirm: "confirmed",
    payment: "held",
    other: "held",
    notes: "held",
    cancel: "cancelled",
  },
  {
    name: "quoted after a lapsed hold",
    state: "quoted",
    bring: async (stage, pays) => {
      const id = await paid(stage, pays)
      await stage.h.advance(15 * MINUTE_MS)
      return id
    },
    reserve: "held",
    confirm: "confirmed",
    payment: "quoted",
    other: "hold_expired",
    notes: "hold_expired",
    cancel: "cancelled",
  },
  {
    name: "expired, never reserved",
    state: "expired",
    bring: async ({ h, agent }) => {
      const id = await agent.quoted()
      await h.advance(30 * MINUTE_MS)
      return id
    },
    reserve: "quote_expired",
    confirm: "quote_expired",
    payment: "quote_expired",
    other: "quote_expired",
    notes: "quote_expired",
    cancel: "cancelled",
  },
  {
    name: "expired, once reserved",
    state: "expired",
    bring: async (stage, pays) => {
      const id = await paid(stage, pays)
      await stage.h.advance(HOUR_MS)
      return id
    },
    reserve: "quote_expired",
    confirm: "confirmed",
    payment: "quote_expired",
    other: "quote_expired",
    notes: "quote_expired",
    cancel: "cancelled",
  },
  {
    ...NOTHING,
    name: "declined by the check",
    state: "declined",
    bring: ({ agent }) => agent.quoted({ pickup_methods_offered: ["counter"] }),
  },
  {
    ...NOTHING,
    name: "declined by the reserve",
    state: "declined",
    bring: ({ agent }) => agent.held({ check_in_method: "app_only" }),
  },
  beforeLoading("assigned"),
  beforeLoading("en_route_to_store"),
  beforeLoading("arrived_at_store"),
  beforeLoading("waiting_for_load"),
  onBoard("loaded"),
  onBoard("en_route_to_customer"),
  onBoard("arrived_at_customer"),
  { ...NOTHING, name: "completed", state: "completed", bring: (stage) => driven(stage, "completed") },
  {
    ...NOTHING,
    name: "cancelled",
    state: "cancelled",
    bring: async ({ agent }) => {
      const id = await agent.booked()
      await agent.cancel(id)
      return id
    },
    cancel: "cancelled",
  },
  {
    ...NOTHING,
    name: "failed",
    state: "failed",
    bring: async ({ h, agent }) => {
      const id = await agent.booked()
      const failure = { reason: "vehicle_fault", refunds: false } as const
      await h.run(Effect.flatMap(CourierOperations, (operations) => operations.fail(id, failure)))
      return id
    },
  },
]

describe.each(ROWS)("C1: $name", (row) => {
  /** The code of the refusal, or the state in the answer. */
  async function told(
    ask: (agent: Agent, id: string) => ReturnType<Agent["status"]>,
    pays = false,
  ): Promise<string> {
    const stage = await ready(memoryHarness)
    const id = await row.bring(stage, pays)
    const envelope = await ask(stage.agent, id)
    expect(envelope.delivery_id).toBe(id)
    expect(envelope.next_step).toMatch(/^(Call |Do not |No further call is needed)/)
    expect(envelope.user_message).not.toContain("dlv_")
    return codeOf(envelope).replace("answered ", "")
  }

  test("status", async () => expect(await told((agent, id) => agent.status(id))).toBe(row.state))
  test("reserve", async () => expect(await told((agent, id) => agent.reserve(id))).toBe(row.reserve))
  test("confirm", async () => expect(await told((agent, id) => agent.confirm(id), true)).toBe(row.confirm))
  test("update payment", async () => expect(await told((agent, id) => agent.pay(id))).toBe(row.payment))
  test("update anything else", async () => {
    const contact = { email: "ada@example.com" }
    expect(await told((agent, id) => agent.update(id, { update_type: "contact", contact }))).toBe(row.other)
  })
  test("update the notes for the door", async () => {
    const notes = { update_type: "dropoff_notes", dropoff_notes: "The blue door" } as const
    expect(await told((agent, id) => agent.update(id, notes))).toBe(row.notes)
  })
  test("cancel", async () => expect(await told((agent, id) => agent.cancel(id))).toBe(row.cancel))
})

type Update = Parameters<Agent["update"]>[1]

const BEER = [{ name: "Case of beer", quantity: 1 }]

/** Every kind of change but the payment, and where an errand is after it that was held, or booked. */
const CHANGES: readonly (readonly [
  name: string,
  after: "cancelled" | "declined" | "taken",
  update: Update,
])[] = [
  ["ready_time", "taken", { update_type: "ready_time", ready_at: START_MS + 30 * MINUTE_MS }],
  [
    "slot",
    "taken",
    {
      update_type: "slot",
      selected_slot: { start: START_MS + 30 * MINUTE_MS, end: START_MS + 60 * MINUTE_MS },
    },
  ],
  ["order", "taken", { update_type: "order", order: { order_number: "A-18" } }],
  ["order, with a restricted item", "declined", { update_type: "order", order: { items: BEER } }],
  ["check_in", "taken", { update_type: "check_in", check_in: { instructions: "Ring once" } }],
  [
    "pickup_requirements",
    "taken",
    { update_type: "pickup_requirements", pickup_requirements_seen: ["none", "other"] },
  ],
  [
    "pickup_requirements that no vehicle meets",
    "declined",
    { update_type: "pickup_requirements", pickup_requirements_seen: ["age_restricted"] },
  ],
  [
    "dropoff_address",
    "taken",
    {
      update_type: "dropoff_address",
      dropoff_address: { street: "11510 Domain Dr", city: "Austin", state: "TX", zip: "78758" },
    },
  ],
  ["contact", "taken", { update_type: "contact", contact: {} }],
  ["issue, delayed", "taken", { update_type: "issue", issue: { code: "order_delayed" } }],
  ["issue, other", "taken", { update_type: "issue", issue: { code: "other", note: "Late" } }],
  ["issue, cancelled", "cancelled", { update_type: "issue", issue: { code: "order_cancelled_by_store" } }],
]

describe.each(CHANGES)("C1: update %s", (_, after, update) => {
  test("is taken while a vehicle is held, and once it is booked", async () => {
    const { h, agent } = await ready(memoryHarness)
    const held = await agent.held()
    expect(codeOf(await agent.update(held, update))).toBe(`answered ${after === "taken" ? "held" : after}`)
    const booked = await agent.booked()
    const answer = await agent.update(booked, update)
    expect(codeOf(answer)).toBe(`answered ${after === "taken" ? "assigned" : after}`)
    await h.advance(MINUTE_MS)
    const { payment_status } = await agent.status(booked)
    expect(payment_status).toBe(after === "taken" ? "captured" : "refunded")
  })

  test("comes too late after the hold, after the quote, and once the order is on board", async () => {
    const { h, agent } = await ready(memoryHarness)
    const loaded = await driven({ h, agent }, "loaded")
    for (const answer of [await agent.update(loaded, update), await agent.cancel(loaded)]) {
      expect(codeOf(answer)).toBe("invalid_state")
      expect(answer.error?.message).toContain("the vehicle has collected the order")
      expect(answer.user_message).toContain("The vehicle has the order already")
    }
    const id = await agent.held()
    await h.advance(15 * MINUTE_MS)
    expect(codeOf(await agent.update(id, update))).toBe("hold_expired")
    await h.advance(30 * MINUTE_MS)
    expect(codeOf(await agent.update(id, update))).toBe("quote_expired")
  })
})

test("C1: the table has every state but the moment before a vehicle is told", () => {
  const missing = COURIER_STATES.filter((state) => !ROWS.some((row) => row.state === state))
  expect(missing).toEqual(["confirmed"])
})

/** Fields at every stage. */
const ALWAYS: readonly CourierField[] = [
  "delivery_id",
  "state",
  "retailer_name",
  "store_address",
  "price",
  "payment_status",
  "fee_cents",
  "order_number",
  "poll_after_seconds",
  "updated_at",
]

const OFFER = ["pickup_windows", "terms", "consent", "quote_expires_at"] as const
const PLANNED = ["planned_pickup_time", "estimated_delivery_window", "tracking_url"] as const
const LINK = ["payment", "payment.checkout_url"] as const
const CURB = ["pickup_profile", "pickup_time"] as const
const TO_ORDER = [...CURB, "pickup_profile.for_store"] as const
const HELD = ["quote_expires_at", "hold_expires_at", ...TO_ORDER, "pickup_time.instruction"] as const

interface Column {
  readonly stage: CourierStage
  readonly bring: (stage: Stage) => Promise<string>
  readonly fields: readonly CourierField[]
  /** Those of the fields and of ALWAYS that this errand does not have. */
  readonly unknown: readonly CourierField[]
}

const NEW = ["order_number"] as const

async function reported({ agent }: Stage): Promise<string> {
  const id = await agent.held()
  await agent.confirm(id)
  return id
}

async function later(minutes: number, { h }: Stage, id: Promise<string>): Promise<string> {
  const known = await id
  await h.advance(minutes * MINUTE_MS)
  return known
}

async function failed(stage: Stage): Promise<string> {
  const id = await stage.agent.booked()
  const failure = { reason: "vehicle_fault", refunds: false } as const
  await stage.h.run(Effect.flatMap(CourierOperations, (operations) => operations.fail(id, failure)))
  return id
}

const BOOKED = (stage: CourierState & CourierStage): Column => ({
  stage,
  bring: (on) => driven(on, stage),
  fields: [...CURB, ...PLANNED],
  unknown: [],
})
const ON_BOARD = ["pickup_profile", "estimated_delivery_window", "tracking_url"] as const
const GONE = ["poll_after_seconds"] as const

/** The connector's table of fields, stage by stage. */
const COLUMNS: readonly Column[] = [
  { stage: "quoted", bring: ({ agent }) => agent.quoted(), fields: OFFER, unknown: NEW },
  {
    stage: "quoted_ordered",
    bring: async ({ agent }) => {
      const id = await agent.quoted()
      await agent.confirm(id)
      return id
    },
    fields: OFFER,
    unknown: [],
  },
  { stage: "held_unpaid", bring: ({ agent }) => agent.held(), fields: [...HELD, ...LINK], unknown: NEW },
  {
    stage: "held_paid",
    bring: ({ agent }) => agent.authorized(),
    fields: [...HELD, "payment"],
    unknown: NEW,
  },
  { stage: "held_ordered", bring: reported, fields: [...HELD, ...LINK], unknown: [] },
  {
    stage: "lapsed",
    bring: (stage) => later(15, stage, stage.agent.held()),
    fields: [...OFFER, ...LINK],
    unknown: NEW,
  },
  {
    stage: "lapsed_ordered",
    bring: (stage) => later(26, stage, reported(stage)),
    fields: [...OFFER, ...TO_ORDER, ...LINK],
    unknown: [],
  },
  {
    stage: "overdue",
    bring: (stage) => later(60, stage, stage.agent.held()),
    fields: ["quote_expires_at"],
    unknown: [...NEW, ...GONE],
  },
  {
    stage: "overdue_ordered",
    bring: (stage) => later(60, stage, reported(stage)),
    fields: ["quote_expires_at", ...TO_ORDER],
    unknown: GONE,
  },
  {
    stage: "expired",
    bring: (stage) => later(30, stage, stage.agent.quoted()),
    fields: ["quote_expires_at"],
    unknown: [...NEW, ...GONE],
  },
  {
    stage: "declined",
    bring: async ({ h, agent }) => {
      const id = await agent.booked()
      await agent.update(id, { update_type: "order", order: { items: BEER } })
      await h.advance(MINUTE_MS)
      return id
    },
    fields: [
      "decline_reason",
      "disqualifying_requirements",
      "restricted_items",
      "store_matches",
      "next_pickup_window",
      "earliest_at",
      "tracking_url",
    ],
    unknown: ["disqualifying_requirements", "store_matches", "next_pickup_window", "earliest_at", ...GONE],
  },
  {
    stage: "confirmed",
    bring: async ({ agent }) => {
      const id = await agent.authorized()
      await agent.confirm(id)
      return id
    },
    fields: [...CURB, ...PLANNED],
    unknown: [],
  },
  BOOKED("assigned"),
  BOOKED("en_route_to_store"),
  BOOKED("arrived_at_store"),
  BOOKED("waiting_for_load"),
  { ...BOOKED("loaded"), fields: ON_BOARD },
  { ...BOOKED("en_route_to_customer"), fields: [...ON_BOARD, "vehicle_location"] },
  { ...BOOKED("arrived_at_customer"), fields: [...ON_BOARD, "vehicle_location"] },
  { ...BOOKED("completed"), fields: ["tracking_url", "completed_at"], unknown: GONE },
  {
    stage: "cancelled",
    bring: async ({ agent }) => {
      const id = await agent.booked()
      await agent.cancel(id)
      return id
    },
    fields: ["tracking_url", "cancelled_at"],
    unknown: GONE,
  },
  { stage: "failed", bring: failed, fields: ["tracking_url", "failure_reason"], unknown: GONE },
]

/** The door cannot change once the vehicle is on its way to it, or drives no more. */
const SETTLED: readonly CourierStage[] = [
  "declined",
  "en_route_to_customer",
  "arrived_at_customer",
  "completed",
  "cancelled",
  "failed",
]

function drivenTo(stage: CourierStage): readonly CourierField[] {
  return SETTLED.includes(stage) ? [] : ["dropoff"]
}

/** Fields of a status, with the instructions inside of them. */
function fieldsIn(envelope: CourierEnvelope): readonly string[] {
  const inside = [
    envelope.pickup_time?.instruction === undefined ? [] : ["pickup_time.instruction"],
    envelope.pickup_profile?.notes_for_retailer === undefined ? [] : ["pickup_profile.for_store"],
    envelope.payment?.checkout_url === undefined ? [] : ["payment.checkout_url"],
  ].flat()
  return Object.keys(envelope)
    .filter((field) => field !== "next_step" && field !== "user_message")
    .concat(inside)
    .toSorted()
}

describe("C43: the fields of a status, cell by cell", () => {
  /** `serviceable` and `charged_cents` belong to other answers, and these errands have the place of the door. */
  const ofStatus = (Object.keys(STAGES_BY_FIELD) as CourierField[]).filter(
    (field) => field !== "serviceable" && field !== "charged_cents" && field !== "dropoff.hint",
  )

  test("each stage has a column", () => {
    expect(COLUMNS.map(({ stage }) => stage)).toEqual(COURIER_STAGES)
  })

  test.each(COLUMNS)("the table at $stage", ({ stage, fields }) => {
    expect(ofStatus.filter((field) => holdsAt(field, stage)).toSorted()).toEqual(
      [...ALWAYS, ...drivenTo(stage), ...fields].toSorted(),
    )
  })

  test.each(COLUMNS)("an errand at $stage", async ({ stage, bring, fields, unknown }) => {
    const on = await ready(memoryHarness)
    const answer = await on.agent.status(await bring(on))
    expect(stage.startsWith(String(answer.state)) || answer.state === STATE_BY_STAGE[stage]).toBe(true)
    const known = [...ALWAYS, ...drivenTo(stage), ...fields].filter((field) => !unknown.includes(field))
    expect(fieldsIn(answer)).toEqual(known.toSorted())
    // An agent polls from the booking on, and pays for what it reads.
    const isBooked = COURIER_STAGES.indexOf(stage) >= COURIER_STAGES.indexOf("confirmed")
    if (isBooked) expect(JSON.stringify(answer).length).toBeLessThanOrEqual(1_200)
  })

  test("a tracking link leaves with its page, a day after the end", async () => {
    const { h, agent } = await ready(memoryHarness)
    const id = await agent.booked()
    await agent.cancel(id)
    await h.standAt(h.now() + 24 * HOUR_MS)
    expect(await agent.status(id)).not.toHaveProperty("tracking_url")
  })

  test("the fee is paid before the order is placed, in every sentence of every stage before it", async () => {
    for (const { bring, stage } of COLUMNS.slice(0, 10)) {
      const on = await ready(memoryHarness)
      const { next_step, pickup_time, payment } = await on.agent.status(await bring(on))
      for (const said of [next_step, pickup_time?.instruction, payment?.instruction]) {
        const places = said?.search(/place the store order|placing the store order/i) ?? -1
        if (places < 0 || stage === "held_paid" || stage.endsWith("_ordered")) continue
        const pays = said?.search(/pay|fee/i) ?? -1
        expect(pays >= 0 && pays < places, `${stage}: ${said}`).toBe(true)
      }
    }
  })
})

const STATE_BY_STAGE: Partial<Record<CourierStage, CourierState>> = {
  lapsed: "quoted",
  lapsed_ordered: "quoted",
  overdue: "expired",
  overdue_ordered: "expired",
}
