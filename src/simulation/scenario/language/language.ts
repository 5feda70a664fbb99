/**
 * The scenario language: its vocabulary as tables, and the type of a scenario after reading. Reader, JSON Schema,
 * explanation and runner all use these tables, so that a word exists everywhere or nowhere.
 */

import { EXCEPTION_CODES, HANDOFF_STATUSES, MILESTONES } from "../../../model/handoff.ts"
import type { HandoffStatus } from "../../../model/handoff.ts"
import { BOT_STATUSES } from "../../../model/bot.ts"
import type { Environment, PERMISSIONS } from "../../../model/caller.ts"
import { ADMISSION_REFUSALS, REFUSALS, SESSION_REFUSALS } from "../../../model/values/errors.ts"
import type { AdmissionRefusalCode, SessionRefusalCode } from "../../../model/values/errors.ts"
import {
  BOT_REPORTS_PER_MINUTE,
  BOT_WAIT_MS,
  OPEN_LINK_ATTEMPTS_MAX,
  REQUESTS_PER_MINUTE,
  STAGING_LEAD_MS,
  WINDOW_AHEAD_MS_MAX,
  WINDOW_GRACE_MS,
  WINDOW_WIDTH_MS_MAX,
  WINDOW_WIDTH_MS_MIN,
} from "../../../model/values/limits.ts"
import type { Occurrence } from "../../../model/values/local-time.ts"
import { CANCELERS, RESERVATION_STATUSES } from "../../../model/reservation.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import { COMPARTMENT_COMMANDS, COMPARTMENT_EXPECTATIONS, COMPARTMENT_FAULTS } from "./compartment-words.ts"
import { COURIER_COMMANDS, COURIER_EXPECTATIONS, COURIER_FAULTS, COURIER_REFUSALS } from "./courier-words.ts"
import type { ToolRefusal } from "./courier-words.ts"
import { DELIVERY_COMMANDS, DELIVERY_EXPECTATIONS, DELIVERY_FAULTS } from "./delivery-words.ts"
import type { MachineFaultsGiven } from "../machine-faults.ts"
import { at, requests, times, within } from "./expectation-fields.ts"
import { KEY_COMMANDS } from "./key-words.ts"
import { RUNNER_CALL_COMMANDS, SITE_OF_STEP } from "./runner-call-words.ts"
import { showDuration } from "./shown-duration.ts"

/** A moment in a scenario: the site's clock (milliseconds after local midnight of a day), or an offset from now. */
export type TimeRef =
  | {
      readonly type: "clock"
      readonly dayOffset: number
      readonly msOfDay: number
      /** Given only when the time comes twice. */
      readonly occurrence?: Occurrence
    }
  | { readonly type: "offset"; readonly ms: number }

/** The answer of a partner's endpoint to one request. */
export type AnswerRef =
  | { readonly type: "status"; readonly status: number; readonly afterMs: number | null }
  | { readonly type: "timeout" }
  | { readonly type: "refused" }

/** A break of a shift. */
export interface Pause {
  readonly from: TimeRef
  readonly to: TimeRef
}

/** The kind of value of a field. */
export type FieldKind =
  | { readonly is: "answers" }
  | { readonly is: "boolean" }
  | { readonly is: "breaks" }
  | { readonly is: "dimensions" }
  | { readonly is: "duration" }
  | { readonly is: "enum"; readonly of: readonly string[] }
  | { readonly is: "enums"; readonly of: readonly string[] }
  | { readonly is: "integer"; readonly min: number; readonly max: number }
  /** `or`: a name of that kind will do too; `words`: so will these, which name nothing that was given. */
  | {
      readonly is: "name"
      readonly of: NamedKind
      readonly or?: NamedKind
      readonly words?: readonly string[]
    }
  | { readonly is: "number" }
  | { readonly is: "text" }
  | { readonly is: "time" }
  | { readonly is: "times" }
  | { readonly is: "window" }

/** The kinds of things that a step may name with `as` and another step may refer to. */
export type NamedKind =
  "caller" | "delivery" | "errand" | "person" | "reservation" | "site" | "vehicle" | "webhook"

/** One field: its kind, whether null is allowed, and its meaning in a few words. */
export type Field = FieldKind & {
  readonly says: string
  /**
   * The phrase for the value when `says` does not read well: `{value}` or `{times}` is replaced by it; `yes|no` are the
   * words for a boolean, and `with {value}|with none` has the words for null.
   */
  readonly short?: string
  /** The word between the values of a list; without it "or". */
  readonly between?: string
  /** What is taken when the field is left out, in words. */
  readonly usual?: string
  readonly required?: true
  readonly nullable?: true
  /** A field that says the same in another way: only one of the two may be given. */
  readonly insteadOf?: string
}

export type Fields = { readonly [name: string]: Field }

/** A value after reading: times and answers are parsed, everything else is as written. */
export type FieldValue =
  | TimeRef
  | readonly TimeRef[]
  | readonly AnswerRef[]
  | readonly Pause[]
  | readonly [number, number, number]
  | readonly string[]
  | { readonly ms: number }
  | string
  | number
  | boolean
  | null

export type FieldValues = { readonly [name: string]: FieldValue }

/** A command of the service, as scenarios write it. */
export interface CommandWord {
  /**
   * Plain words for `explain`; `{for}` is replaced by the name, `{window}` by that argument, `{with}` by all other
   * arguments.
   */
  readonly says: string
  /** What `for` names; null when the command refers to nothing that exists. */
  readonly for: NamedKind | null
  /** What `as` names. */
  readonly as: NamedKind | null
  readonly with: Fields
}

/** The place of the remaining arguments in a sentence, with the word before them. */
export const REST_OF_ARGUMENTS = /[,:] (?:with )?\{with\}/

const reason = { is: "text", says: "why", short: 'saying "{value}"' } as const satisfies Field
const code = {
  is: "enum",
  of: EXCEPTION_CODES,
  says: "the exception's reason code",
  required: true,
} as const satisfies Field
const booking = {
  window: { is: "window", says: "the arrival window", required: true },
  site: SITE_OF_STEP,
  zone: { is: "text", says: "the zone id", usual: "the zone of the site", insteadOf: "site" },
  retailer: { is: "text", says: "the retailer id", usual: "the retailer of the given site" },
  order_number: { is: "text", says: "the order number", usual: "1001" },
  end_user_name: { is: "text", says: "the end user's name", usual: "Ada Example" },
  end_user_phone: { is: "text", says: "the end user's phone number", usual: "+15125550100" },
  open_link_url: { is: "text", says: "the open link", usual: "a link of its own" },
  retailer_pickup_ref: {
    is: "text",
    says: "what the runner says at the counter",
    short: "the pickup reference {value}",
    nullable: true,
  },
  max_weight_kg: {
    is: "number",
    says: "the most that the compartment carries, kilograms",
    short: "a compartment for at most {value} kg",
  },
  max_dimensions_cm: {
    is: "dimensions",
    says: "the most that fits the compartment, centimetres",
    short: "a compartment of {value} cm",
  },
  idempotency_key: { is: "text", says: "the idempotency key" },
} as const satisfies Fields
const endpoint = {
  url: { is: "text", says: "the URL" },
  events: { is: "enums", of: EVENT_TYPES, says: "the subscribed events", short: "it receives {value}" },
  is_active: {
    is: "boolean",
    says: "whether the endpoint is active",
    short: "it is switched on|it is switched off",
  },
} as const satisfies Fields

/** Every word of `do` and `refuse`: commands of the services. */
export const COMMANDS = {
  "reservation.create": {
    says: "the partner books {as} for {window}, with {with}",
    for: null,
    as: "reservation",
    with: booking,
  },
  "reservation.move_window": {
    says: "the partner moves {for} to the window {window}",
    for: "reservation",
    as: null,
    with: { window: { is: "window", says: "the new arrival window", required: true } },
  },
  "reservation.cancel": {
    says: "the partner cancels {for}, {with}",
    for: "reservation",
    as: null,
    with: { reason },
  },
  "reservation.cancel_by_runner": {
    says: "the runner cancels {for}, {with}",
    for: "reservation",
    as: null,
    with: { reason },
  },
  "reservation.cancel_by_operations": {
    says: "operations cancel {for}, {with}",
    for: "reservation",
    as: null,
    with: { reason },
  },
  "reservation.read": { says: "the partner reads {for}", for: "reservation", as: null, with: {} },
  "bot.report": {
    says: "the bot of {for} reports {status}, with {with}",
    for: "reservation",
    as: null,
    with: {
      status: { is: "enum", of: BOT_STATUSES, says: "the reported status", required: true },
      label: { is: "text", says: "the bot's label", short: "the label {value}", nullable: true },
      eta: { is: "time", says: "the estimated arrival", short: "the estimate {value}", nullable: true },
      occurred_at: { is: "time", says: "when it happened", short: "the time {value}" },
      reason: { is: "text", says: "why it aborted", short: 'the reason "{value}"' },
    },
  },
  "runner.assign": {
    says: "a runner takes {for}, {with}",
    for: "reservation",
    as: null,
    with: { runner: { is: "text", says: "the runner's id", short: "namely {value}", usual: "run_1" } },
  },
  "runner.at_store": { says: "the runner of {for} is at the store", for: "reservation", as: null, with: {} },
  "runner.hold": {
    says: "the order of {for} is not ready and the runner waits, with {with}",
    for: "reservation",
    as: null,
    with: {
      ready_at: {
        is: "time",
        says: "when the counter expects it",
        short: "the counter's estimate {value}",
      },
    },
  },
  "runner.ready": { says: "the order of {for} is ready after all", for: "reservation", as: null, with: {} },
  "runner.give_up": {
    says: "the runner of {for} gives up at the counter",
    for: "reservation",
    as: null,
    with: {},
  },
  "runner.order_in_hand": {
    says: "the runner of {for} has the order",
    for: "reservation",
    as: null,
    with: {},
  },
  "runner.measure": {
    says: "the runner measures the order of {for}: {with}",
    for: "reservation",
    as: null,
    with: {
      weight_kg: { is: "number", says: "its weight, kilograms", short: "{value} kg" },
      dimensions_cm: { is: "dimensions", says: "its size, centimetres", short: "{value} cm" },
    },
  },
  "runner.at_unit": { says: "the runner of {for} is at the bot", for: "reservation", as: null, with: {} },
  "runner.load": {
    says: "the runner of {for} records the load, {with}",
    for: "reservation",
    as: null,
    with: {
      photo: {
        is: "boolean",
        says: "whether a photo was taken",
        short: "with a photo|without a photo",
        usual: "true",
      },
    },
  },
  "runner.retry_open_link": {
    says: "the runner of {for} tries the open link again",
    for: "reservation",
    as: null,
    with: {},
  },
  "exception.raise": {
    says: "the exception {code} is raised on {for}, with {with}",
    for: "reservation",
    as: null,
    with: { code, message: { is: "text", says: "the message", short: 'the message "{value}"' } },
  },
  "exception.clear": {
    says: "the exception {code} of {for} is cleared",
    for: "reservation",
    as: null,
    with: { code },
  },
  "sandbox.advance": {
    says: "the sandbox walk of {for} advances, {with}",
    for: "reservation",
    as: null,
    with: {
      reason_code: {
        is: "enum",
        of: EXCEPTION_CODES,
        says: "the exception to raise instead of a step",
        short: "raising {value} instead of a step",
      },
      message: { is: "text", says: "the exception's message", short: 'saying "{value}"' },
    },
  },
  "webhook.register": {
    says: "the partner registers the endpoint {as}: {with}",
    for: null,
    as: "webhook",
    with: endpoint,
  },
  "webhook.change": {
    says: "the partner changes the endpoint {for}: {with}",
    for: "webhook",
    as: null,
    with: {
      ...endpoint,
      rotate_secret: {
        is: "boolean",
        says: "whether the secret is rotated",
        short: "its secret is rotated|its secret stays",
      },
    },
  },
  ...DELIVERY_COMMANDS,
  ...COURIER_COMMANDS,
  ...COMPARTMENT_COMMANDS,
  ...KEY_COMMANDS,
  ...RUNNER_CALL_COMMANDS,
} as const satisfies Record<string, CommandWord>

export type CommandName = keyof typeof COMMANDS

/** A code that a scenario may expect of a command; for a tool's answer, the connector's own code. */
export type ScriptedCode = AdmissionRefusalCode | SessionRefusalCode | ToolRefusal | keyof typeof REFUSALS

/** Every such code, with its meaning. */
export const SCRIPTED_CODES: Readonly<Record<ScriptedCode, string>> = {
  ...messagesOf(REFUSALS),
  ...messagesOf(ADMISSION_REFUSALS),
  ...messagesOf(SESSION_REFUSALS),
  ...COURIER_REFUSALS,
}

function messagesOf<Code extends string>(
  table: Readonly<Record<Code, { readonly message: string }>>,
): Record<Code, string> {
  const messages = Object.entries<{ readonly message: string }>(table).map(([one, { message }]) => [
    one,
    message,
  ])
  return Object.fromEntries(messages) as Record<Code, string>
}

/** Faults of the outside world that a scenario may inject. */
export const FAULTS = {
  "open_link.answers": {
    says: "the open link of {for} answers {answers}",
    for: "reservation",
    with: { answers: { is: "answers", says: "one answer a call, the last for ever", required: true } },
  },
  "webhook.answers": {
    says: "the receiver {for} answers {answers}",
    for: "webhook",
    with: { answers: { is: "answers", says: "one answer a request, the last for ever", required: true } },
  },
  "webhook.down": {
    says: "the receiver {for} refuses connections for {lasts}, and then answers as before",
    for: "webhook",
    with: { lasts: { is: "duration", says: "how long", required: true } },
  },
  "host.fault": {
    says: "the fault of the host name {host} is now {fault}",
    for: null,
    with: {
      host: { is: "text", says: "the host name", required: true },
      fault: { is: "enum", of: ["private", "unknown", "unavailable", "none"], says: "how", required: true },
    },
  },
  "photo_signing.fails": { says: "photo links cannot be signed from now on", for: null, with: {} },
  "photo_signing.works": { says: "photo links can be signed again", for: null, with: {} },
  "calls.lost": { says: "every call in flight is lost, as in a crash", for: null, with: {} },
  "node.lost": {
    says: "the node that makes the calls is lost, and the next node makes them again",
    for: null,
    with: {},
  },
  "service.crashes": {
    says: "the service crashes, loses its calls in flight, and starts again from what it has stored",
    for: null,
    with: {
      turns: {
        is: "integer",
        min: 0,
        max: 10_000,
        says: "crashes once so many more turns are committed; without it: at once",
      },
    },
  },
  ...DELIVERY_FAULTS,
  ...COURIER_FAULTS,
  ...COMPARTMENT_FAULTS,
} as const satisfies Record<string, Omit<CommandWord, "as">>

export type FaultName = keyof typeof FAULTS

/** A time that the service has noted; null before that. */
const noted = { is: "time", nullable: true } as const satisfies Pick<Field, "is" | "nullable">
const forReservation = {
  is: "name",
  of: "reservation",
  says: "the reservation",
  required: true,
} as const satisfies Field

/**
 * Every word of `expect`, by its first key. The first key's own field comes first. Without `at` or `within` a fact must
 * hold now; facts that reach a partner, and counts, get ten seconds.
 */
export const EXPECTATIONS = {
  reservation: {
    says: "{reservation} has {fields}",
    fields: {
      reservation: { is: "name", of: "reservation", says: "the reservation", required: true },
      status: { is: "enum", of: RESERVATION_STATUSES, says: "its status" },
      canceled_by: {
        is: "enum",
        of: CANCELERS,
        says: "who canceled",
        short: "the canceler {value}",
        nullable: true,
      },
      cancel_reason: { is: "text", says: "the cancel reason", nullable: true },
      stall: { is: "text", says: "its stall's label" },
      window: { is: "window", says: "its arrival window" },
      bot: {
        is: "enum",
        of: BOT_STATUSES,
        says: "the bot's status",
        short: "the bot status {value}",
        nullable: true,
      },
      bot_label: { is: "text", says: "the bot's label", short: "the bot label {value}", nullable: true },
      bot_eta: { is: "time", says: "the bot's estimate", short: "the bot estimate {value}", nullable: true },
      asserted_at: {
        ...noted,
        says: "when the bot reached its status, as it was reported, to the second",
        short: "a bot with its status since {value}|a bot whose status has no time",
      },
      handoff: {
        is: "enum",
        of: HANDOFF_STATUSES,
        says: "the handoff status",
        short: "the handoff status {value}",
        nullable: true,
      },
      ready_estimate: {
        is: "time",
        says: "the counter's estimate",
        short: "the counter estimate {value}",
        nullable: true,
      },
      task_started_at: {
        ...noted,
        says: "when the runner was at the store, to the second",
        short: "a runner at the store at {value}|no runner at the store so far",
      },
      order_in_hand_at: {
        ...noted,
        says: "when the runner had the order, to the second",
        short: "an order in hand at {value}|no order in hand so far",
      },
      runner_at_unit_at: {
        ...noted,
        says: "when the runner was at the bot, to the second",
        short: "a runner at the bot at {value}|no runner at the bot so far",
      },
      handoff_completed_at: {
        ...noted,
        says: "when the handoff was complete, to the second",
        short: "a handoff completed at {value}|no handoff completed so far",
      },
      runner: {
        is: "text",
        says: "who has its task: the runner's name or id",
        short: "a task of {value}",
        nullable: true,
      },
      load_photo_skipped: {
        is: "boolean",
        says: "whether the photo was skipped",
        short: "a skipped photo|a photo that was not skipped",
        nullable: true,
      },
      load_photo_url: {
        is: "enum",
        of: ["signed", "none"],
        says: "whether a read signs a photo link",
        short: "a signed photo link|no photo link",
      },
      runner_delay_seconds: {
        is: "integer",
        min: 0,
        max: 1_000_000,
        says: "the runner's delay",
        short: "the runner delay of {value} seconds",
        nullable: true,
      },
      takes_order_back: {
        is: "boolean",
        says: "whether the runner takes the order back",
        short: "a runner who takes the order back|no runner who takes the order back",
      },
      same_as: {
        is: "name",
        of: "reservation",
        says: "the reservation that it is",
        short: "the same id as {value}",
      },
      at,
      within,
    },
  },
  exception: {
    says: "the exception {exception} is published for {for}",
    fields: {
      exception: { is: "enum", of: EXCEPTION_CODES, says: "the reason code", required: true },
      for: forReservation,
      message: { is: "text", says: "its message", short: 'saying "{value}"' },
      times,
      at,
      within,
    },
  },
  milestone: {
    says: "the milestone {milestone} is published for {for}",
    fields: {
      milestone: { is: "enum", of: MILESTONES, says: "the milestone", required: true },
      for: forReservation,
      times,
      at,
      within,
    },
  },
  webhook: {
    says: "{to} receives {webhook}",
    fields: {
      webhook: { is: "enum", of: EVENT_TYPES, says: "the event type", required: true },
      to: { is: "name", of: "webhook", says: "the receiver", required: true },
      for: { is: "name", of: "reservation", says: "about this reservation only" },
      status: { is: "enum", of: RESERVATION_STATUSES, says: "with the reservation in this status" },
      previous_status: {
        is: "enum",
        of: RESERVATION_STATUSES,
        says: "with this status before; null when it was booked",
        short: "with the status before {value}|with no status before",
        nullable: true,
      },
      milestone: { is: "enum", of: MILESTONES, says: "with this milestone" },
      reason_code: { is: "enum", of: EXCEPTION_CODES, says: "with this reason code" },
      load_photo_url: { is: "enum", of: ["signed", "none"], says: "with or without a photo link" },
      load_photo_skipped: { is: "boolean", says: "with or without the photo skipped" },
      ...requests,
      url: { is: "text", says: "at this URL" },
      within,
    },
  },
  order: {
    says: "{to} accepts events in this order: {order}",
    fields: {
      order: {
        is: "enums",
        of: [...EVENT_TYPES, ...PICKUP_EVENT_TYPES],
        says: "types of events; others may lie between them",
        between: "then",
        required: true,
      },
      to: { is: "name", of: "webhook", says: "the receiver", required: true },
      for: {
        is: "name",
        of: "reservation",
        or: "delivery",
        says: "about this reservation or delivery only",
        short: "about {value} only",
      },
      within,
    },
  },
  deliveries: {
    says: "deliveries to {deliveries} are {state}",
    fields: {
      deliveries: { is: "name", of: "webhook", says: "the receiver", required: true },
      state: {
        is: "enum",
        of: ["sending", "waiting", "delivered", "dropped", "discarded"],
        says: "the state",
        required: true,
      },
      times: { is: "integer", min: 0, max: 10_000, says: "how many", required: true },
      within,
    },
  },
  believes: {
    says: "{believes}, who keeps the last pair of occurred_at and event_id, believes that {for} is {status}",
    fields: {
      believes: { is: "name", of: "webhook", says: "the receiver", required: true },
      for: forReservation,
      status: { is: "enum", of: RESERVATION_STATUSES, says: "the status", required: true },
      within,
    },
  },
  signature: {
    says: "every request to {signature} is signed with a secret that it was given",
    fields: { signature: { is: "name", of: "webhook", says: "the receiver", required: true } },
  },
  open_link: {
    says: "the open link of {open_link} was called",
    fields: {
      open_link: { is: "name", of: "reservation", says: "the reservation", required: true },
      calls: { is: "integer", min: 0, max: 1_000, says: "this many times" },
      attempt_ids: { is: "integer", min: 0, max: 1_000, says: "under this many attempt ids" },
      attempted_at: {
        is: "times",
        says: "at exactly these times, to the second, whatever was answered",
        short: "at {value}",
      },
      within,
    },
  },
  state: {
    says: "the {actor} of {for} is in {state}",
    fields: {
      state: { is: "text", says: "a state path of the machine", required: true },
      actor: {
        is: "enum",
        of: ["reservation", "bot", "runner-task", "open-link"],
        says: "the actor",
        required: true,
      },
      for: forReservation,
      at,
      within,
    },
  },
  listed: {
    says: "the partner's list holds {listed} reservations",
    fields: {
      listed: { is: "integer", min: 0, max: 1_000, says: "how many", required: true },
      status: { is: "enums", of: RESERVATION_STATUSES, says: "in one of these statuses" },
      order_number: { is: "text", says: "with this order number" },
      by: {
        is: "name",
        of: "caller",
        says: "the partner or key that asks",
        short: "asked with the key {value}",
        usual: "the scenario's own partner",
      },
    },
  },
  ...DELIVERY_EXPECTATIONS,
  ...COURIER_EXPECTATIONS,
  ...COMPARTMENT_EXPECTATIONS,
} as const satisfies Record<string, { readonly says: string; readonly fields: Fields }>

export type ExpectationName = keyof typeof EXPECTATIONS

/** A place in a file; 1-based. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  /** For a step of a fragment: the step of the scenario that uses it. */
  readonly usedAt?: Place
}

/** Where that is in a file: a part of a fragment is at the step that uses it. Null when it is in another file. */
export function placeIn(file: string, place: Place): Place | null {
  const { usedAt } = place
  if (place.file === file) return place
  return usedAt === undefined ? null : placeIn(file, usedAt)
}

export type Step = { readonly at: TimeRef | null; readonly place: Place } & (
  | {
      readonly verb: "do"
      readonly command: CommandName
      readonly as: string | null
      readonly for: string | null
      /** The partner, key or person that calls; absent: the scenario's own. */
      readonly by?: string
      readonly actor?: string
      readonly with: FieldValues
    }
  | {
      readonly verb: "refuse"
      readonly command: CommandName
      /** The name of what was not made; later steps about it are refused. */
      readonly as: string | null
      readonly for: string | null
      readonly by?: string
      readonly with: FieldValues
      readonly code: ScriptedCode
      /** How long the caller should wait, if that is expected. */
      readonly retryAfterMs?: number
    }
  | { readonly verb: "expect"; readonly fact: ExpectationName; readonly fields: FieldValues }
  | { readonly verb: "never"; readonly fact: ExpectationName; readonly fields: FieldValues }
  | { readonly verb: "at_most"; readonly fact: ExpectationName; readonly fields: FieldValues }
  | {
      readonly verb: "inject"
      readonly fault: FaultName
      readonly for: string | null
      readonly actor?: string
      readonly with: FieldValues
    }
  | { readonly verb: "wait"; readonly until: TimeRef }
)

/** A condition that holds from its step on. */
export type StandingStep = Extract<Step, { readonly verb: "at_most" } | { readonly verb: "never" }>

/** A webhook endpoint that exists from the start. */
export interface GivenWebhook {
  readonly as: string
  /** The partner or key that registered it; absent: the scenario's own. */
  readonly of?: string
  readonly events: readonly string[]
  readonly answers: readonly AnswerRef[]
  readonly place: Place
}

/** A partner, a key or a person who is there from the start. */
export interface GivenCaller {
  readonly as: string
  readonly fields: FieldValues
  readonly place: Place
}

/** A vehicle that exists from the start. */
export interface GivenVehicle {
  readonly as: string
  readonly fields: FieldValues
  readonly place: Place
}

/** The store from which deliveries start, and its vehicles. */
export interface GivenDelivery {
  readonly fields: FieldValues
  readonly vehicles: readonly GivenVehicle[]
}

/** A site described in a scenario; ids and labels are derived from the counts. */
export interface GivenSite {
  /** Name of a built-in site, or null for a described one. */
  readonly builtIn: string | null
  readonly stalls: number
  readonly activeStalls: number
  readonly hasRunner: boolean
}

/** Policy values of a scenario, by name of `POLICY_FIELDS`. */
export type GivenPolicy = FieldValues

/** A duration as it is written in a file. */
function written(ms: number): string {
  return showDuration(ms).replaceAll(" ", "")
}

export const POLICY_FIELDS = {
  window_grace: {
    is: "duration",
    says: "how long after the window's end a reservation stays open",
    usual: written(WINDOW_GRACE_MS),
  },
  bot_wait: {
    is: "duration",
    says: "how long a runner waits at the bot before it is a no-show",
    usual: written(BOT_WAIT_MS),
  },
  staging_lead: {
    is: "duration",
    says: "how long ahead of the arrival the runner should stand ready",
    usual: written(STAGING_LEAD_MS),
  },
  window_ahead_max: {
    is: "duration",
    says: "how far ahead a window may start",
    usual: written(WINDOW_AHEAD_MS_MAX),
  },
  window_width_min: { is: "duration", says: "the narrowest window", usual: written(WINDOW_WIDTH_MS_MIN) },
  window_width_max: { is: "duration", says: "the widest window", usual: written(WINDOW_WIDTH_MS_MAX) },
  open_link_attempts: {
    is: "integer",
    min: 1,
    max: 10,
    says: "attempts of one open link",
    usual: String(OPEN_LINK_ATTEMPTS_MAX),
  },
  requests_per_minute: {
    is: "integer",
    min: 1,
    max: 100_000,
    says: "requests of one organization in a minute, bot reports and analytics apart",
    usual: String(REQUESTS_PER_MINUTE),
  },
  bot_reports_per_minute: {
    is: "integer",
    min: 1,
    max: 100_000,
    says: "bot reports of one organization in a minute",
    usual: String(BOT_REPORTS_PER_MINUTE),
  },
  announces_handoffs: { is: "boolean", says: "whether handoff and exception events are sent", usual: "true" },
} as const satisfies Fields

/** Figures of a whole run that `promises` may bound, such as `"< 60"`. */
export const PROMISED = {
  events: "turns that the run took",
  refusals: "commands refused",
  webhook_attempts: "requests to webhook receivers",
  open_link_calls: "requests to open links",
  virtual_minutes: "minutes from the first instant to the last",
} as const

export type PromisedName = keyof typeof PROMISED

export interface Promise {
  readonly of: PromisedName
  readonly comparison: "<" | "<=" | "=" | ">=" | ">"
  readonly bound: number
  readonly place: Place
}

/** Local date and time of the start; `occurrence` is given only when that time comes twice. */
export interface LocalStart {
  readonly local: string
  readonly timeZone: string
  readonly occurrence?: Occurrence
}

/** The course that the sandbox offers from a scenario: its steps are played for another delivery or reservation. */
export interface ScenarioCourse {
  readonly name: string
  /** The name of the delivery or reservation in the steps. */
  readonly for: string
  readonly kind: "delivery" | "reservation"
  /** The statuses in which it may start. */
  readonly from: readonly string[]
  /** The handoff may not be past this; null: it does not matter. */
  readonly handoff: HandoffStatus | null
}

/** What exists before the first step. */
export interface Given {
  readonly site: GivenSite
  /** Sites beside it, each with stalls of its own. */
  readonly sites?: readonly GivenCaller[]
  /** Partners beside the scenario's own. */
  readonly partners?: readonly GivenCaller[]
  readonly keys?: readonly GivenCaller[]
  readonly runners?: readonly GivenCaller[]
  readonly operators?: readonly GivenCaller[]
  readonly webhooks: readonly GivenWebhook[]
  readonly pickupWebhooks: readonly GivenWebhook[]
  /** Null when the scenario does not use direct delivery. */
  readonly delivery: GivenDelivery | null
  readonly policy: GivenPolicy
}

/** One scenario, ready to run: each row of a `matrix` is a scenario of its own. */
export interface Scenario extends Given {
  readonly title: string
  /** The row's name when the scenario has a matrix. */
  readonly variant: string | null
  readonly because: string
  readonly tags: readonly string[]
  readonly seed: number
  readonly clock: LocalStart
  readonly environment: Environment
  readonly permissions: readonly (typeof PERMISSIONS)[number][]
  readonly steps: readonly Step[]
  /** Names of invariants; empty: the whole catalogue. */
  readonly always: readonly { readonly name: string; readonly place: Place }[]
  readonly promises: readonly Promise[]
  /** Null or absent: the machines that run the service have no faults. */
  readonly machineFaults?: MachineFaultsGiven | null
  /** Null when the sandbox does not offer it. */
  readonly course: ScenarioCourse | null
  readonly file: string
}

/** Names of the built-in worlds. */
export const BUILT_IN_SITES = [
  "domain-north",
  "sandbox-test",
  "one-stall",
  "no-runners",
  "no-stalls",
] as const
