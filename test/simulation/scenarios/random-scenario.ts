/**
 * Random partners: scenarios as fast-check makes and shrinks them. Reservations, bots, runners, cancels, webhook
 * endpoints and faults of the outside world come in any order; whole visits are among them, so that runs get far. At
 * the end the faults stop.
 */

import { SEED_MAX } from "../../../src/model/values/limits.ts"
import fc from "fast-check"
import { BOT_STATUSES } from "../../../src/model/bot.ts"
import { PERMISSIONS } from "../../../src/model/caller.ts"
import { EXCEPTION_CODES } from "../../../src/model/handoff.ts"
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/model/values/time.ts"
import { EVENT_TYPES } from "../../../src/model/webhook.ts"
import type { KEY_COMMANDS } from "../../../src/simulation/scenario/language/key-words.ts"
import type { RUNNER_CALL_COMMANDS } from "../../../src/simulation/scenario/language/runner-call-words.ts"
import type {
  COURIER_COMMANDS,
  COURIER_FAULTS,
} from "../../../src/simulation/scenario/language/courier-words.ts"
import type {
  COMPARTMENT_COMMANDS,
  COMPARTMENT_FAULTS,
} from "../../../src/simulation/scenario/language/compartment-words.ts"
import type {
  DELIVERY_COMMANDS,
  DELIVERY_FAULTS,
} from "../../../src/simulation/scenario/language/delivery-words.ts"
import { FAULTS } from "../../../src/simulation/scenario/language/language.ts"
import type {
  AnswerRef,
  CommandName,
  FaultName,
  FieldValues,
  GivenPolicy,
  GivenSite,
  Place,
  Scenario,
  Step,
  TimeRef,
} from "../../../src/simulation/scenario/language/language.ts"

/** What a partner, a runner or the street does next, before it is known which names exist. */
interface Move {
  /** Since the move before; null: at once. */
  readonly afterMs: number | null
  readonly act: Act
}

/** `which` is the number of a reservation or endpoint, counted around those that exist; `LAST` is the youngest. */
type Act =
  | { readonly does: "reservation.create" | "webhook.register"; readonly with: FieldValues }
  | { readonly does: CommandName; readonly which: number; readonly with: FieldValues }
  | { readonly injects: FaultName; readonly which: number; readonly with: FieldValues }
  | { readonly waitsMs: number }

const MOVES_MAX = 40
const LAST = -1
const HOSTS = ["bots.partner.example", "hooks.partner.example"] as const
const PLACE: Place = { file: "random.yaml", line: 1, column: 1 }
const WELL: readonly AnswerRef[] = [{ type: "status", status: 200, afterMs: null }]

const offset = (ms: number): TimeRef => ({ type: "offset", ms })

/** Delays from nothing to hours, on and around the limits of the machines. */
const gapMs = fc.oneof(
  { weight: 8, arbitrary: fc.constant(null) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 100 }) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 120 }).map((seconds) => seconds * SECOND_MS) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 30 }).map((minutes) => minutes * MINUTE_MS) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 8 }).map((hours) => hours * HOUR_MS) },
)

const which = fc.nat({ max: 3 })
const word = fc.constantFrom(
  "A-12",
  "blue robot",
  "übel & 7",
  "'quoted'",
  "1187",
  "null",
  "- dash",
  "# hash",
  "",
)
const reason = fc.constantFrom("no longer hungry", "rain: too much", "true", "0x1F")

const window = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: 1, max: 40 }).map((minutes) => minutes * MINUTE_MS),
      fc.integer({ min: -5, max: 1500 }).map((minutes) => minutes * MINUTE_MS),
      fc.integer({ min: 1, max: 5000 }),
    ),
    fc.oneof(
      fc.integer({ min: 5, max: 120 }).map((minutes) => minutes * MINUTE_MS),
      fc.integer({ min: -5, max: 130 }).map((minutes) => minutes * MINUTE_MS),
    ),
  )
  .map(([start, width]): readonly [TimeRef, TimeRef] => [offset(start), offset(start + width)])

const measure = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0.1, max: 40, noNaN: true }))
const box = fc.tuple(measure, measure, measure)

const booking: fc.Arbitrary<FieldValues> = fc.record(
  {
    window,
    order_number: word.filter((text) => text !== ""),
    retailer_pickup_ref: fc.option(reason),
    max_weight_kg: measure,
    max_dimensions_cm: box,
  },
  { requiredKeys: ["window"] },
)

const aroundNow = fc
  .oneof(
    fc.integer({ min: -20, max: 60 }).map((minutes) => minutes * MINUTE_MS),
    fc.integer({ min: -25, max: 25 }).map((hours) => hours * HOUR_MS),
  )
  .map(offset)

const report: fc.Arbitrary<FieldValues> = fc.record(
  {
    status: fc.constantFrom(...BOT_STATUSES),
    label: fc.option(word),
    eta: fc.option(aroundNow),
    occurred_at: aroundNow,
    reason,
  },
  { requiredKeys: ["status"] },
)

const answer: fc.Arbitrary<AnswerRef> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<AnswerRef>({ type: "timeout" }) },
  { weight: 1, arbitrary: fc.constant<AnswerRef>({ type: "refused" }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("status" as const),
      status: fc.constantFrom(200, 204, 301, 404, 500, 503),
      afterMs: fc.option(fc.integer({ min: 0, max: 12_000 })),
    }),
  },
)
const answers = fc.array(answer, { minLength: 1, maxLength: 10 })

const events = fc.subarray([...EVENT_TYPES], { minLength: 1 })

const nothing = fc.constant<FieldValues>({})
const message = fc.record(
  { code: fc.constantFrom(...EXCEPTION_CODES), message: reason },
  { requiredKeys: ["code"] },
)

/** Deliveries have random partners of their own: random-deliveries.test.ts. Keys and calls to runners change nothing of a visit. */
type VisitCommand = Exclude<
  CommandName,
  | keyof typeof COMPARTMENT_COMMANDS
  | keyof typeof COURIER_COMMANDS
  | keyof typeof DELIVERY_COMMANDS
  | keyof typeof KEY_COMMANDS
  | keyof typeof RUNNER_CALL_COMMANDS
>
type VisitFault = Exclude<
  FaultName,
  keyof typeof COMPARTMENT_FAULTS | keyof typeof COURIER_FAULTS | keyof typeof DELIVERY_FAULTS
>

const argumentsOf: Readonly<Record<VisitCommand, fc.Arbitrary<FieldValues>>> = {
  "reservation.create": booking,
  "reservation.move_window": fc.record({ window }),
  "reservation.cancel": fc.record({ reason }, { requiredKeys: [] }),
  "reservation.cancel_by_runner": fc.record({ reason }, { requiredKeys: [] }),
  "reservation.cancel_by_operations": fc.record({ reason }, { requiredKeys: [] }),
  "reservation.read": nothing,
  "bot.report": report,
  "runner.assign": fc.record({ runner: fc.constantFrom("run_1", "run_2") }, { requiredKeys: [] }),
  "runner.at_store": nothing,
  "runner.hold": fc.record({ ready_at: aroundNow }, { requiredKeys: [] }),
  "runner.ready": nothing,
  "runner.give_up": nothing,
  "runner.order_in_hand": nothing,
  "runner.measure": fc.record({ weight_kg: measure, dimensions_cm: box }, { requiredKeys: [] }),
  "runner.at_unit": nothing,
  "runner.load": fc.record({ photo: fc.boolean() }, { requiredKeys: [] }),
  "runner.retry_open_link": nothing,
  "exception.raise": message,
  "exception.clear": fc.record({ code: fc.constantFrom(...EXCEPTION_CODES) }),
  "sandbox.advance": fc.record({ reason_code: fc.constantFrom(...EXCEPTION_CODES) }, { requiredKeys: [] }),
  "webhook.register": fc.record({ events, is_active: fc.boolean() }, { requiredKeys: [] }),
  "webhook.change": fc.record(
    {
      events,
      is_active: fc.boolean(),
      rotate_secret: fc.boolean(),
      url: fc.constantFrom("https://hooks.partner.example/moved", "https://hooks.partner.example/again"),
    },
    { requiredKeys: [] },
  ),
}

const faultsOf: Readonly<Record<VisitFault, fc.Arbitrary<FieldValues>>> = {
  "open_link.answers": fc.record({ answers }),
  "webhook.answers": fc.record({ answers }),
  "webhook.down": fc.record({ lasts: fc.record({ ms: fc.integer({ min: 1, max: 4 * HOUR_MS }) }) }),
  "host.fault": fc.record({
    host: fc.constantFrom(...HOSTS),
    fault: fc.constantFrom("private", "unknown", "unavailable", "none"),
  }),
  "photo_signing.fails": nothing,
  "photo_signing.works": nothing,
  "calls.lost": nothing,
  "node.lost": nothing,
  "service.crashes": fc.record({ turns: fc.integer({ min: 0, max: 8 }) }),
}

const commandNames = Object.keys(argumentsOf) as VisitCommand[]
const faultNames = Object.keys(faultsOf) as VisitFault[]

/** These come more often: they matter at few moments of a visit. */
const often: readonly VisitCommand[] = [
  "exception.raise",
  "exception.raise",
  "runner.measure",
  "runner.hold",
  "runner.retry_open_link",
  "reservation.cancel",
  "bot.report",
]

const command: fc.Arbitrary<Act> = fc
  .constantFrom(...commandNames, ...often)
  .chain((does) => fc.record({ does: fc.constant(does), which, with: argumentsOf[does] }))

const fault: fc.Arbitrary<Act> = fc
  .constantFrom(...faultNames)
  .chain((injects) => fc.record({ injects: fc.constant(injects), which, with: faultsOf[injects] }))

const wait: fc.Arbitrary<Act> = fc.integer({ min: 0, max: 3 * HOUR_MS }).map((waitsMs) => ({ waitsMs }))

const move: fc.Arbitrary<Move> = fc.record({
  afterMs: gapMs,
  act: fc.oneof(
    { weight: 12, arbitrary: command },
    { weight: 4, arbitrary: fault },
    { weight: 1, arbitrary: wait },
  ),
})

type VisitStep = readonly [CommandName, FieldValues]

const TO_THE_BOT: readonly VisitStep[] = [
  ["runner.order_in_hand", {}],
  ["bot.report", { status: "ARRIVED" }],
  ["runner.at_unit", {}],
  ["bot.report", { status: "READY_FOR_HANDOFF" }],
]
const AWAY: readonly VisitStep[] = [
  ["bot.report", { status: "SECURED" }],
  ["bot.report", { status: "DEPARTED" }],
]

/** Visits that go well: loaded by the runner; after a wait at the counter; loaded by the bot, the photo later. */
const VISITS: readonly (readonly VisitStep[])[] = [
  [["runner.assign", {}], ["runner.at_store", {}], ...TO_THE_BOT, ["runner.load", { photo: true }], ...AWAY],
  [
    ["runner.assign", {}],
    ["runner.at_store", {}],
    ["runner.hold", {}],
    ["runner.ready", {}],
    ...TO_THE_BOT,
    ...AWAY,
  ],
  [
    ["runner.assign", {}],
    ["runner.at_store", {}],
    ...TO_THE_BOT,
    ["runner.load", { photo: false }],
    ["runner.load", { photo: true }],
    ...AWAY,
  ],
]
const VISIT_STEPS_MAX = 10

/** A part of such a visit, of one reservation. */
const stretch: fc.Arbitrary<readonly Move[]> = fc
  .record({
    visit: fc.constantFrom(...VISITS),
    number: which,
    from: fc.constantFrom(0, 0, 0, 3, 5),
    steps: fc.integer({ min: 1, max: VISIT_STEPS_MAX }),
    gaps: fc.array(fc.integer({ min: 0, max: 4 * MINUTE_MS }), {
      minLength: VISIT_STEPS_MAX,
      maxLength: VISIT_STEPS_MAX,
    }),
  })
  .map(({ visit, number, from, steps, gaps }) =>
    visit.slice(from, from + steps).map(([does, values], at) => ({
      afterMs: gaps[at] ?? null,
      act: { does, which: number, with: values },
    })),
  )

/** A booking; its open link may answer badly from the start. */
const create: fc.Arbitrary<readonly Move[]> = fc.tuple(booking, fc.option(answers)).map(([values, bad]) => [
  { afterMs: null, act: { does: "reservation.create", with: values } },
  ...(bad === null
    ? []
    : [
        {
          afterMs: null,
          act: { injects: "open_link.answers", which: LAST, with: { answers: bad } },
        } as const,
      ]),
])

const walk: fc.Arbitrary<readonly Move[]> = fc
  .tuple(which, fc.integer({ min: 1, max: 10 }), fc.integer({ min: 0, max: 2 * MINUTE_MS }))
  .map(([number, steps, afterMs]) =>
    Array.from({ length: steps }, () => ({
      afterMs,
      act: { does: "sandbox.advance" as const, which: number, with: {} },
    })),
  )

const moves = (isSandbox: boolean): fc.Arbitrary<readonly Move[]> =>
  fc
    .tuple(
      create,
      fc.array(
        fc.oneof(
          { weight: 6, arbitrary: move.map((one) => [one]) },
          { weight: 3, arbitrary: stretch },
          { weight: 2, arbitrary: create },
          { weight: isSandbox ? 3 : 0, arbitrary: walk },
        ),
        { maxLength: MOVES_MAX, size: "max" },
      ),
    )
    .map(([first, rest]) => [...first, ...rest.flat()])

const site: fc.Arbitrary<GivenSite> = fc.oneof(
  fc
    .constantFrom("domain-north", "domain-north", "one-stall", "no-runners", "no-stalls")
    .map((builtIn) => ({ builtIn, stalls: 0, activeStalls: 0, hasRunner: true })),
  fc
    .record({ stalls: fc.integer({ min: 1, max: 4 }), unused: fc.nat({ max: 1 }), hasRunner: fc.boolean() })
    .map(({ stalls, unused, hasRunner }) => ({
      builtIn: null,
      stalls,
      activeStalls: stalls - unused,
      hasRunner,
    })),
)

const duration = (maxMinutes: number): fc.Arbitrary<{ readonly ms: number }> =>
  fc.integer({ min: 0, max: maxMinutes }).map((minutes) => ({ ms: minutes * MINUTE_MS }))

const policy: fc.Arbitrary<GivenPolicy> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<GivenPolicy>({}) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        window_grace: duration(30),
        bot_wait: duration(20),
        staging_lead: duration(20),
        open_link_attempts: fc.integer({ min: 1, max: 4 }),
        announces_handoffs: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  },
)

const webhooks = fc
  .array(fc.record({ events, answers }), { maxLength: 2 })
  .map((given) => given.map((one, at) => ({ as: `hook-${at}`, ...one, place: PLACE })))

export const randomScenario: fc.Arbitrary<Scenario> = fc.boolean().chain((isSandbox) =>
  fc
    .record({
      seed: fc.integer({ min: 0, max: SEED_MAX }),
      site: isSandbox
        ? fc
            .constantFrom("sandbox-test", "sandbox-test", "sandbox-test", "no-runners")
            .map((builtIn) => ({ builtIn, stalls: 0, activeStalls: 0, hasRunner: true }))
        : site,
      webhooks,
      policy,
      moves: moves(isSandbox),
    })
    .map(({ moves: made, ...given }) => ({
      title: "Random partners",
      variant: null,
      course: null,
      because: "A random run broke an invariant.",
      tags: ["seed"],
      clock: { local: "2026-03-02T11:30", timeZone: "America/Chicago" },
      environment: isSandbox ? "sandbox" : "production",
      permissions: PERMISSIONS,
      pickupWebhooks: [],
      delivery: null,
      ...given,
      steps: stepsOf(
        made,
        given.webhooks.map(({ as }) => as),
      ),
      always: [],
      promises: [],
      file: "random.yaml",
    })),
)

/** Gives every move the names that exist when it comes, and ends every fault after the last. */
function stepsOf(made: readonly Move[], given: readonly string[]): readonly Step[] {
  const reservations: string[] = []
  const hooks = [...given]
  const steps: Step[] = []
  for (const { afterMs, act } of made) {
    const at = afterMs === null ? null : offset(afterMs)
    const step = stepOf(act, { reservations, hooks })
    if (step !== null) steps.push({ at, place: PLACE, ...step })
  }
  return [...steps, ...lastSteps(reservations, hooks)]
}

interface Names {
  readonly reservations: string[]
  readonly hooks: string[]
}

type Unplaced<S> = S extends unknown ? Omit<S, "at" | "place"> : never

/** Null when the move refers to an object that does not exist. */
function stepOf(act: Act, { reservations, hooks }: Names): Unplaced<Step> | null {
  if ("waitsMs" in act) return { verb: "wait", until: offset(act.waitsMs) }
  if ("injects" in act) {
    const kind = FAULTS[act.injects].for
    if (kind === null) return { verb: "inject", fault: act.injects, for: null, with: act.with }
    const target = oneOf(kind === "webhook" ? hooks : reservations, act.which)
    return target === null ? null : { verb: "inject", fault: act.injects, for: target, with: act.with }
  }
  const { does: name } = act
  if (name === "reservation.create" || name === "webhook.register") {
    const names = name === "reservation.create" ? reservations : hooks
    const as = `${name === "reservation.create" ? "visit" : "hook"}-${names.length}`
    names.push(as)
    return { verb: "do", command: name, as, for: null, with: act.with }
  }
  const target = oneOf(name === "webhook.change" ? hooks : reservations, "which" in act ? act.which : 0)
  return target === null ? null : { verb: "do", command: name, as: null, for: target, with: act.with }
}

function oneOf(names: readonly string[], number: number): string | null {
  return (number === LAST ? names.at(-1) : names[number % names.length]) ?? null
}

function lastSteps(reservations: readonly string[], hooks: readonly string[]): readonly Step[] {
  const inject = (name: FaultName, target: string | null, values: FieldValues): Step => ({
    at: null,
    place: PLACE,
    verb: "inject",
    fault: name,
    for: target,
    with: values,
  })
  return [
    ...HOSTS.map((host) => inject("host.fault", null, { host, fault: "none" })),
    inject("photo_signing.works", null, {}),
    ...reservations.map((name) => inject("open_link.answers", name, { answers: WELL })),
    ...hooks.map((name) => inject("webhook.answers", name, { answers: WELL })),
  ]
}
