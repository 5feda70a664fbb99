/** Templates of scenarios: a form in plain words each, and the file that it writes, which passes at its first run. */

import { COURIER_WAIT_MS_MAX, WEBHOOK_BACKOFF_MS, WINDOW_GRACE_MS } from "../../model/values/limits.ts"
import { MINUTE_MS, SECOND_MS } from "../../model/values/time.ts"
import { explain } from "../../simulation/scenario/words/explain.ts"
import type { Draft, Filled, Template, TemplateField } from "../../pages/web/studio/contract.ts"
import { readText } from "./check.ts"
import { LENGTH, OPENS, TITLE, TemplateProblem, clock, draftFrom } from "./template-form.ts"
import type { FormValues, WrittenTemplate } from "./template-form.ts"

const DATE = "2026-03-02"
const ZONE = "America/Chicago"
const GRACE = WINDOW_GRACE_MS / MINUTE_MS
/** The booking is made this long before its window. */
const AHEAD = 30

export function templates(): readonly Template[] {
  return TEMPLATES.map(({ id, title, about, fields }) => ({ id, title, about, fields }))
}

/** What a form writes, or the first value that does not fit; null for an unknown template. */
export function draftOf({ id, values }: Filled): Draft | null {
  const template = TEMPLATES.find((one) => one.id === id)
  if (template === undefined) return null
  return draftFrom(template, values, (_, text) => {
    const [scenario] = readText("new.yaml", text).scenarios
    return scenario === undefined ? [] : explain(scenario).trimEnd().split("\n")
  })
}

interface Head {
  readonly because: string
  readonly tags: string
  readonly starts: number
  readonly given: readonly string[]
}

function head(values: FormValues, { because, tags, starts, given }: Head): readonly string[] {
  return [
    `scenario: ${values.text("title")}`,
    `because: ${because}`,
    `tags: [${tags}]`,
    `clock: ${DATE}T${clock(starts)} ${ZONE}`,
    "",
    ...(given.length === 0 ? [] : ["given:", ...given.map((line) => `  ${line}`), ""]),
    "steps:",
  ]
}

const PARTNER = "webhooks: [{ as: partner, events: all }]"

/** `[12:00, 12:30]`, from the fields of the window. */
function windowOf(values: FormValues): {
  readonly opens: number
  readonly length: number
  readonly written: string
} {
  const [opens, length] = [values.time("opens"), values.whole("length")]
  return { opens, length, written: `[${clock(opens)}, ${clock(opens + length)}]` }
}

function step(at: number, does: string): string {
  return `  - { at: ${clock(at)}, do: ${does} }`
}

const noShow: WrittenTemplate = {
  id: "bot-no-show",
  title: "Bot no-show",
  about: "The runner waits at the curb with the order, and no bot comes.",
  fields: [
    TITLE("The bot does not come"),
    OPENS,
    LENGTH,
    {
      name: "wait",
      label: "The runner waits for the bot",
      hint: "Then the partner gets an event, and later the service closes the reservation.",
      kind: "number",
      unit: "minutes",
      usual: "10",
      min: 1,
      max: 60,
    },
  ],
  lines: (values) => {
    const { opens, length, written } = windowOf(values)
    const wait = values.whole("wait")
    const arrives = opens + 5
    const ends = opens + length + GRACE
    const longest = ends - arrives - 1
    if (wait > longest)
      throw new TemplateProblem("wait", `the reservation ends at ${clock(ends)}; write at most ${longest}`)
    return [
      ...head(values, {
        because: "The partner must know that its bot did not come, and the runner takes the order back.",
        tags: "reservation, exception",
        starts: opens - AHEAD,
        given: [PARTNER, `policy: { bot_wait: ${wait}m }`],
      }),
      step(opens - AHEAD, `reservation.create, as: lunch, with: { window: ${written} }`),
      step(opens - 10, "runner.assign, for: lunch"),
      step(opens - 5, "runner.at_store, for: lunch"),
      step(opens, "runner.order_in_hand, for: lunch"),
      step(arrives, "runner.at_unit, for: lunch"),
      `  - expect: { exception: bot_no_show, for: lunch, at: ${clock(arrives + wait)} }`,
      "  - expect: { reservation: lunch, status: confirmed, handoff: AT_UNIT }",
      `  - expect: { reservation: lunch, status: canceled, canceled_by: system, within: ${longest - wait + 2}m }`,
      "  - expect: { reservation: lunch, handoff: CANCELED, takes_order_back: true }",
      "  - expect: { webhook: reservation.exception, to: partner, times: 1 }",
    ]
  },
}

const WEIGHT = { hint: null, kind: "number", unit: "kilograms", min: 0.1, max: 50 } as const

const payload: WrittenTemplate = {
  id: "payload-rejected",
  title: "Payload rejected",
  about: "The runner weighs the order at the counter, and it is too heavy for the bot.",
  fields: [
    TITLE("The order is too heavy"),
    OPENS,
    LENGTH,
    { ...WEIGHT, name: "limit", label: "The bot carries at most", usual: "10" },
    { ...WEIGHT, name: "weight", label: "The order weighs", usual: "12.5" },
  ],
  lines: (values) => {
    const { opens, written } = windowOf(values)
    const [limit, weight] = [values.number("limit"), values.number("weight")]
    if (weight <= limit) throw new TemplateProblem("weight", `the bot can carry it; write more than ${limit}`)
    return [
      ...head(values, {
        because: "A bot that cannot carry the order must not get it, and the partner learns why.",
        tags: "reservation, payload",
        starts: opens - AHEAD,
        given: [PARTNER],
      }),
      step(
        opens - AHEAD,
        `reservation.create, as: lunch, with: { window: ${written}, max_weight_kg: ${limit} }`,
      ),
      step(opens - 10, "runner.assign, for: lunch"),
      step(opens - 5, "runner.at_store, for: lunch"),
      step(opens - 2, `runner.measure, for: lunch, with: { weight_kg: ${weight} }`),
      `  - expect: { exception: payload_rejected, for: lunch, at: ${clock(opens - 2)} }`,
      "  - expect: { reservation: lunch, status: confirmed, handoff: FAILED }",
      "  - refuse: { do: runner.order_in_hand, for: lunch, code: INVALID_STATE }",
      "  - expect: { webhook: reservation.exception, to: partner, reason_code: payload_rejected, times: 1 }",
    ]
  },
}

/** Of a hold. Source: courier connector, "Reserve". */
const HOLD = 15

const ASKED: TemplateField = {
  name: "asked",
  label: "The customer asks for a vehicle at",
  hint: null,
  kind: "time",
  usual: "11:30",
}

const hold: WrittenTemplate = {
  id: "hold-expires",
  title: "Hold expires",
  about: "A customer holds a vehicle for an errand and does not confirm in time.",
  fields: [
    TITLE("The hold is not confirmed"),
    ASKED,
    {
      name: "thinks",
      label: "and holds it after",
      hint: `A hold lasts ${HOLD} minutes.`,
      kind: "number",
      unit: "minutes",
      usual: "1",
      min: 1,
      max: 14,
    },
  ],
  lines: (values) => {
    const asked = values.time("asked")
    const held = asked + values.whole("thinks")
    return [
      ...head(values, {
        because: "A vehicle that is not confirmed in time must be free for the next customer.",
        tags: "courier",
        starts: asked,
        given: [],
      }),
      step(asked, "errand.check, as: lunch"),
      step(held, "errand.reserve, for: lunch"),
      `  - { at: ${clock(held + HOLD - 1)}:59, expect: { errand: lunch, state: held } }`,
      `  - expect: { errand: lunch, state: quoted, at: ${clock(held + HOLD)} }`,
      `  - refuse: { do: errand.ready_at, for: lunch, with: { time: ${clock(held + 50)} }, code: hold_expired }`,
    ]
  },
}

/** A page waits this long for the processor. */
const PAGE_WAITS = COURIER_WAIT_MS_MAX / SECOND_MS
const HELD_AGAIN_AFTER = 5

const holdWhilePaying: WrittenTemplate = {
  id: "hold-expires-while-paying",
  title: "Hold expires while the customer pays",
  about: "The processor answers after the end of the hold: the customer has paid, and pays nothing again.",
  fields: [
    TITLE("The hold expires while the customer pays"),
    ASKED,
    {
      name: "left",
      label: "and pays at the checkout page before the hold ends by",
      hint: `A hold lasts ${HOLD} minutes from then on.`,
      kind: "number",
      unit: "seconds",
      usual: "5",
      min: 1,
      max: PAGE_WAITS - 2,
    },
    {
      name: "takes",
      label: "The payment processor answers after",
      hint: `The page waits ${PAGE_WAITS} seconds at most.`,
      kind: "number",
      unit: "seconds",
      usual: "8",
      min: 2,
      max: PAGE_WAITS - 1,
    },
  ],
  lines: (values) => {
    const asked = values.time("asked")
    const [left, takes] = [values.whole("left"), values.whole("takes")]
    if (takes <= left)
      throw new TemplateProblem("takes", `the hold has not ended then; write more than ${left}`)
    const ends = asked + HOLD
    const again = ends + HELD_AGAIN_AFTER
    const paysAt = `${clock(ends - 1)}:${String(60 - left).padStart(2, "0")}`
    return [
      ...head(values, {
        because: "Who has paid must not pay again, and a vehicle whose hold has ended is free for others.",
        tags: "courier, payment",
        starts: asked,
        given: [],
      }),
      step(asked, "errand.check, as: lunch"),
      "  - { do: errand.reserve, for: lunch }",
      `  - expect: { errand: lunch, state: held, hold_ends: ${clock(ends)}, checkout_page: open }`,
      `  - { inject: payments.take, with: { time: ${takes}s } }`,
      "  # The hold waits for the answer.",
      `  - { at: ${paysAt}, never: { errand: lunch, state: quoted, within: ${takes - 1}s } }`,
      "  - { do: errand.pay_at_checkout, for: lunch }",
      "  - expect: { errand: lunch, state: quoted, payment: authorized, checkout: false, checkout_page: paid }",
      `  - refuse: { do: errand.ready_at, for: lunch, with: { time: ${clock(again + 30)} }, code: hold_expired }`,
      "  # The vehicle is held again, and the same payment is captured.",
      step(again, "errand.reserve, for: lunch"),
      "  - expect: { errand: lunch, state: held, payment: authorized, checkout: false }",
      "  - { do: errand.confirm, for: lunch }",
      "  - expect: { errand: lunch, state: confirmed, payment: captured, checkout_page: paid, within: 1m }",
      "",
      "always: [the processor keeps one fee of a booked errand and none of any other]",
    ]
  },
}

const twoBots: WrittenTemplate = {
  id: "two-bots-one-stall",
  title: "Two bots, one stall",
  about: "Two bookings overlap at a site with one stall: the second shares it instead of being refused.",
  fields: [
    TITLE("Two bots share one stall"),
    OPENS,
    LENGTH,
    {
      name: "later",
      label: "The second window opens later by",
      hint: "It overlaps with the first.",
      kind: "number",
      unit: "minutes",
      usual: "10",
      min: 0,
      max: 110,
    },
  ],
  lines: (values) => {
    const { opens, length, written } = windowOf(values)
    const later = values.whole("later")
    if (later >= length)
      throw new TemplateProblem("later", `the windows do not overlap; write less than ${length}`)
    const second = `[${clock(opens + later)}, ${clock(opens + later + length)}]`
    return [
      ...head(values, {
        because:
          "A booking is not refused for want of a free stall; people who plan the site must see them meet.",
        tags: "reservation, stall",
        starts: opens - AHEAD,
        given: ["site: { stalls: 1 }", PARTNER],
      }),
      step(opens - AHEAD, `reservation.create, as: first, with: { window: ${written} }`),
      `  - { do: reservation.create, as: second, with: { window: ${second} } }`,
      "  - expect: { reservation: first, status: confirmed, stall: A1 }",
      "  - expect: { reservation: second, status: confirmed, stall: A1 }",
      step(opens + later, "bot.report, for: first, with: { status: ARRIVED }"),
      "  - { do: bot.report, for: second, with: { status: ARRIVED } }",
      "  - expect: { reservation: first, status: arrived }",
      "  - expect: { reservation: second, status: arrived }",
      "  - expect: { webhook: reservation.status_changed, to: partner, status: arrived, times: 2 }",
    ]
  },
}

/** Minutes after the first attempt at which each attempt is made. */
function attempts(): readonly number[] {
  let sum = 0
  return [0, ...WEBHOOK_BACKOFF_MS.map((ms) => (sum += ms / MINUTE_MS))]
}

const receiverDown: WrittenTemplate = {
  id: "receiver-is-down",
  title: "Receiver is down for an hour",
  about: "The partner's endpoint takes no connection for a while; it gets every event once, later.",
  fields: [
    TITLE("The receiver is down for an hour"),
    { name: "starts", label: "The endpoint goes down at", hint: null, kind: "time", usual: "11:30" },
    {
      name: "lasts",
      label: "and is down for",
      hint: "The service tries again after 2, 4, 8, 16, 32 and then 60 minutes.",
      kind: "number",
      unit: "minutes",
      usual: "60",
      min: 1,
      max: 120,
    },
  ],
  lines: (values) => {
    const [starts, lasts] = [values.time("starts"), values.whole("lasts")]
    const inVain = attempts().filter((minute) => minute < lasts).length
    const arrives = starts + (attempts()[inVain] ?? 0) + 1
    const opens = arrives + 30
    return [
      ...head(values, {
        because: "A partner whose endpoint is down gets every event once, later and by the usual attempts.",
        tags: "webhook, fault",
        starts,
        given: [PARTNER],
      }),
      `  - { at: ${clock(starts)}, inject: webhook.down, for: partner, with: { lasts: ${lasts}m } }`,
      `  - { do: reservation.create, as: lunch, with: { window: [${clock(opens)}, ${clock(opens + 30)}] } }`,
      `  - expect: { webhook: reservation.status_changed, to: partner, for: lunch, attempts: ${inVain}, times: 0, within: ${untilNearly(lasts)} }`,
      `  - { at: ${clock(arrives)}, expect: { webhook: reservation.status_changed, to: partner, for: lunch, attempts: ${inVain + 1}, times: 1 } }`,
      "  # What happens after that arrives at once.",
      step(arrives + 10, "bot.report, for: lunch, with: { status: ARRIVED }"),
      "  - expect: { webhook: reservation.status_changed, to: partner, for: lunch, status: arrived, attempts: 1, times: 1 }",
    ]
  },
}

/** Half a minute less, as `59m30s`. */
function untilNearly(minutes: number): string {
  return minutes === 1 ? "30s" : `${minutes - 1}m30s`
}

const botLeft: WrittenTemplate = {
  id: "the-bot-has-left",
  title: "Runner takes the order but the bot has left",
  about: "The bot departs without the order while the runner is on the way to it.",
  fields: [
    TITLE("The bot leaves without the order"),
    OPENS,
    LENGTH,
    {
      name: "stays",
      label: "The bot stays at the curb for",
      hint: null,
      kind: "number",
      unit: "minutes",
      usual: "3",
      min: 1,
      max: 14,
    },
  ],
  lines: (values) => {
    const { opens, written } = windowOf(values)
    const stays = values.whole("stays")
    return [
      ...head(values, {
        because: "The visit is over all the same, and the runner brings the order back.",
        tags: "reservation, bot",
        starts: opens - AHEAD,
        given: [PARTNER],
      }),
      step(opens - AHEAD, `reservation.create, as: lunch, with: { window: ${written} }`),
      step(opens - 10, "runner.assign, for: lunch"),
      step(opens - 5, "runner.at_store, for: lunch"),
      step(opens - 1, "bot.report, for: lunch, with: { status: ARRIVED }"),
      "  - { do: runner.order_in_hand, for: lunch }",
      step(opens - 1 + stays, "bot.report, for: lunch, with: { status: DEPARTED }"),
      "  - expect: { reservation: lunch, status: completed, handoff: CANCELED, takes_order_back: true }",
      "  - expect: { milestone: handoff_complete, for: lunch, times: 0 }",
      "  - refuse: { do: runner.at_unit, for: lunch, code: INVALID_STATE }",
    ]
  },
}

const somethingElse: WrittenTemplate = {
  id: "something-else",
  title: "Something else",
  about: "A booking to begin with. Add what happens then in the form of the file.",
  fields: [
    TITLE("A partner books a visit"),
    {
      name: "because",
      label: "Why it matters",
      hint: null,
      kind: "text",
      usual: "A booking is the beginning of every visit.",
    },
    OPENS,
    LENGTH,
  ],
  lines: (values) => {
    const { opens, written } = windowOf(values)
    return [
      ...head(values, {
        because: values.text("because"),
        tags: "reservation",
        starts: opens - AHEAD,
        given: [PARTNER],
      }),
      step(opens - AHEAD, `reservation.create, as: lunch, with: { window: ${written} }`),
      "  - expect: { reservation: lunch, status: confirmed }",
    ]
  },
}

const TEMPLATES: readonly WrittenTemplate[] = [
  noShow,
  payload,
  hold,
  holdWhilePaying,
  twoBots,
  receiverDown,
  botLeft,
  somethingElse,
]
