/**
 * Writes the scenario that repeats what an errand of a journal went through: the calls of the agent at their times, and the answers of the
 * payment processor. Carts, places and payments are invented so that the rules decide as they did: a declined check gets a cart, a
 * store or a place that is declined for the same reason.
 */

import { DEMO_STORES } from "../../areas/courier/directory/demo-stores.ts"
import { courierStateOf } from "../../areas/courier/errand.ts"
import type { CourierPhase } from "../../areas/courier/rows.ts"
import { DEFAULT_COURIER_SETTINGS } from "../../areas/courier/settings.ts"
import { TEST_TOKENS } from "../../areas/courier/built-in-payments.ts"
import { rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { ReplayedTurn } from "../replay.ts"
import { writtenDuration } from "../scenario/language/scenario-text.ts"
import { textOf } from "./recorded-visit.ts"
import type { WrittenParts } from "./scenario-file.ts"
import { StepList } from "./step-list.ts"
import type { RecordedGroup } from "./recorded-group.ts"

const NAME = "order"
/** Another errand of the user, whose hold releases that of this one. */
const OTHER = "another-one"
const VAN = "van"

/** The scenario of an errand whose start is in the journal, as parts whose steps may still change. */
export function errandParts({ turns, timeZone }: RecordedGroup): WrittenParts {
  const [first] = turns
  if (first === undefined) throw new TypeError("an errand without turns")
  const list = new StepList(first.input.instantMs, timeZone)
  const policy = (first.input.start?.input as { readonly policy?: unknown } | undefined)?.policy
  if (JSON.stringify(policy) !== JSON.stringify(DEFAULT_COURIER_SETTINGS.policy))
    list.note("the connector's own policy; here it is the usual one")
  new ErrandWriter(list, turns).write()
  list.note("the cart, the store and the addresses; here they are others that the rules judge alike")
  list.note("texts to the user, and what became of the delivery")
  return {
    title: `What an errand went through on ${list.local.slice(0, 10)}`,
    because: null,
    clock: `${list.local} ${timeZone}`,
    isSandbox: false,
    given: { vehicles: [{ as: VAN, north_m: 5 }] },
    steps: list.steps,
    notes: list.notes,
  }
}

type Facts = Readonly<Record<string, unknown>>

class ErrandWriter {
  readonly #list: StepList
  readonly #turns: readonly ReplayedTurn[]
  readonly #calls: readonly PaymentCall[]
  #mode = "works/0"
  #state = ""
  #reached = 0
  #isOnline = true

  constructor(list: StepList, turns: readonly ReplayedTurn[]) {
    this.#list = list
    this.#turns = turns
    this.#calls = paymentCallsOf(turns)
  }

  write(): void {
    const [first, ...rest] = this.#turns
    if (first === undefined) return
    const facts = (first.input.facts ?? {}) as Facts
    if (declineOf(first) === "no_capacity") this.#offline(first.input.instantMs)
    this.#list.step(first.input.instantMs, {
      do: "errand.check",
      as: NAME,
      ...withFields(cartFor(facts, declineOf(first))),
    })
    this.#online()
    this.#expect(first)
    for (const [at, turn] of rest.entries()) this.#repeat(turn, rest[at + 1])
  }

  #repeat(turn: ReplayedTurn, next: ReplayedTurn | undefined): void {
    const { input } = turn
    if (input.by !== "command") {
      this.#prepareCalls(turn)
      this.#expect(turn)
      return
    }
    const { instantMs } = input
    const facts = (input.facts ?? {}) as Facts
    this.#drive(instantMs, (facts["status"] ?? null) as DeliveryStatus | null)
    const needsVan = isWithoutVan(turn)
    if (needsVan) this.#offline(instantMs)
    this.#prepareCalls(turn)
    for (const step of this.#stepsOf(turn, next)) this.#list.step(Math.max(instantMs, this.#list.nowMs), step)
    if (needsVan) this.#online()
    this.#loseCalls(instantMs)
    this.#expect(turn)
  }

  #stepsOf(turn: ReplayedTurn, next: ReplayedTurn | undefined): readonly object[] {
    const { input, result } = turn
    const { event, instantMs } = input
    const facts = (input.facts ?? {}) as Facts
    const asked = (command: string, fields: object = {}) => [
      { do: command, for: NAME, ...withFields(fields) },
    ]
    const isUntimely = facts["isTimely"] === false && result.outcome.type === "refused"
    switch (event?.type) {
      case "reserve.requested":
        return asked("errand.reserve", {
          ...(event["pays"] === true ? { token: this.#tokenOf(turn) } : {}),
          ...(isUntimely ? { slot: PAST } : {}),
        })
      case "reserve.declined":
        return asked("errand.reserve", { requirements: ["id_required"] })
      case "payment.requested":
        if (this.#isSameCall(turn)) return []
        return asked("errand.pay", { token: this.#tokenOf(turn) })
      case "confirm.requested":
        return asked("errand.confirm", {
          ...(facts["isRestricted"] === true ? { item: RESTRICTED } : {}),
          ...(isUntimely ? { ready_at: LATE } : {}),
        })
      case "cancel.requested":
        return asked("errand.cancel")
      case "store.cancelled":
        return asked("errand.report_issue", { issue: "order_cancelled_by_store" })
      case "update.declined":
        return asked("errand.tell_requirements", { requirements: ["id_required"] })
      case "update.requested":
        if (event["isDropoff"] === true)
          return asked("errand.tell_dropoff", { notes: "Ring at the side door." })
        return isUntimely
          ? asked("errand.ready_at", { time: LATE })
          : asked("errand.tell_check_in", { instructions: "Park in a marked space and call." })
      case "hold.released":
        return [
          { do: "errand.check", as: OTHER },
          { do: "errand.reserve", for: OTHER },
        ]
      case "failure.reported": {
        const isRefunded =
          next?.input.event?.type === "refund.requested" && next.input.instantMs === instantMs
        return asked("errand.fail", {
          reason: textOf(event["reason"]),
          ...(isRefunded ? { refund: true } : {}),
        })
      }
      case "refund.requested":
        return this.#isRefundOfFailure(turn) ? [] : asked("errand.refund")
      // A command to the payment: its errand was declined or expired.
      case "release.requested":
        return asked("errand.refund")
      default:
        this.#list.note(
          `${event?.type ?? "a command"} at ${this.#list.clock.show(instantMs)}: no word sends it`,
        )
        return []
    }
  }

  /** Operations may give the fee back with the report of the failure. */
  #isRefundOfFailure(turn: ReplayedTurn): boolean {
    const before = this.#turns[this.#turns.indexOf(turn) - 1]?.input
    return before?.event?.type === "failure.reported" && before.instantMs === turn.input.instantMs
  }

  /** A payment after a failed one is asked for twice by one call: before and after the first credential is released. */
  #isSameCall(turn: ReplayedTurn): boolean {
    const before = this.#turns
      .slice(0, this.#turns.indexOf(turn))
      .findLast(({ input }) => input.by === "command")
    if (before === undefined || !isPaying(before) || !isReleasing(before)) return false
    return this.#calls.some((call) => call.turn === before && call.reason === null)
  }

  /** The credential whose authorization or capture ends as the next ones did. */
  #tokenOf(turn: ReplayedTurn): string {
    const at = this.#turns.indexOf(turn)
    const next = this.#turns.findIndex((one, index) => index > at && isPaying(one))
    const own = this.#turns.slice(at, next === -1 ? undefined : next)
    const tokens = this.#calls.flatMap(({ turn: by, reason }) =>
      own.includes(by) ? (TOKEN_BY_REASON.get(reason ?? "") ?? []) : [],
    )
    return tokens[0] ?? "spt_ok"
  }

  /** How the processor answers the calls that begin with this turn, or by a timer after it. */
  #prepareCalls(turn: ReplayedTurn): void {
    const at = this.#turns.indexOf(turn)
    const next = this.#turns.slice(at).find(({ result }) => result.calls.length > 0)
    // A later command prepares its own calls.
    const between = next === undefined ? [] : this.#turns.slice(at + 1, this.#turns.indexOf(next) + 1)
    if (next === undefined || between.some(({ input }) => input.by === "command")) return
    const call = this.#calls.find(({ turn: by }) => by === next)
    if (call === undefined) return
    const isDown = call.reason === "unavailable"
    const mode = `${isDown ? "fails" : "works"}/${call.tookMs}`
    if (mode === this.#mode) return
    const [was, took] = this.#mode.split("/")
    this.#mode = mode
    const { instantMs } = turn.input
    const steps = [
      ...(was === mode.split("/")[0] ? [] : [{ inject: isDown ? "payments.fail" : "payments.work" }]),
      ...(took === String(call.tookMs)
        ? []
        : [{ inject: "payments.take", with: { time: writtenDuration(call.tookMs) } }]),
    ]
    for (const step of steps) this.#list.step(Math.max(instantMs, this.#list.nowMs), step)
  }

  #loseCalls(instantMs: EpochMs): void {
    if (this.#calls.some((call) => call.isLost && call.atMs === instantMs))
      this.#list.add({ inject: "calls.lost" })
  }

  /** Brings the delivery to where the rules saw it. */
  #drive(instantMs: EpochMs, status: DeliveryStatus | null): void {
    if (status === null || status === "CANCELLED") return
    const wanted = rankOf(status) >= rankOf("COMPLETED") ? 3 : rankOf(status) >= rankOf("LOADED") ? 1 : 0
    const reports = [
      { north_m: 5, load: "loaded" },
      { north_m: 1_990, load: "loaded" },
      { north_m: 1_990, load: "unloaded" },
    ].slice(this.#reached, wanted)
    const fromMs = this.#list.nowMs
    for (const [at, report] of reports.entries()) {
      const share = (at + 1) / (reports.length + 1)
      this.#list.step(fromMs + Math.floor((instantMs - fromMs) * share), {
        do: "vehicle.report",
        for: VAN,
        with: report,
      })
    }
    this.#reached = Math.max(this.#reached, wanted)
  }

  #offline(instantMs: EpochMs): void {
    this.#list.step(instantMs, { do: "vehicle.go_offline", for: VAN })
    this.#isOnline = false
  }

  #online(): void {
    if (this.#isOnline) return
    this.#list.add({ do: "vehicle.go_online", for: VAN })
    this.#isOnline = true
  }

  /** A booked errand has the state of its delivery, which belongs to another group. */
  #expect({ input, result }: ReplayedTurn): void {
    const { actors, address } = result.group
    const phase = phaseIn(actors.get(address)?.snapshot.value)
    // The step waits for the processor, and then another phase has begun.
    if (phase === "authorizing" || phase === "capturing") return
    const state = phase === "booked" ? "assigned" : courierStateOf(phase, null)
    if (state === this.#state) return
    this.#state = state
    this.#list.expectAt(Math.max(input.instantMs, this.#list.nowMs), { errand: NAME, state })
  }
}

/** A time that the service refuses, because the vehicle would wait for hours. */
const LATE = "+3h30m"
const PAST = ["-2h", "-1h30m"]
const RESTRICTED = "Bottle of wine"
/** A call that is lost must be under way when its command stops waiting. */
const LOST_AFTER_MS = 12 * SECOND_MS

function withFields(fields: object): { readonly with?: object } {
  return Object.keys(fields).length === 0 ? {} : { with: fields }
}

const TOKEN_BY_REASON: ReadonlyMap<string, string> = new Map([
  ...Object.entries(TEST_TOKENS).flatMap(([token, reason]) =>
    reason === null ? [] : [[reason, token] as const],
  ),
  ["capture_declined", "spt_uncaptured"],
])

/** What to ask for, so that the check is declined for the same reason. */
function cartFor(facts: Facts, reason: string | null): object {
  switch (reason) {
    case "disqualifying_requirement":
      return { item: RESTRICTED }
    case "no_curbside":
      return { methods: ["counter"] }
    case "store_not_supported":
      return { store: "An Unlisted Kitchen" }
    case "out_of_zone":
      return { north_m: 50_000 }
    case "timing_not_feasible":
      return { window: PAST }
    case "outside_service_hours":
      return facts["windows"] === 0
        ? { store: DEMO_STORES.find(({ hours }) => hours !== null && closesEarly(hours))?.name }
        : {}
    default:
      return {}
  }
}

function closesEarly(hours: unknown): boolean {
  return JSON.stringify(hours).includes("660")
}

function contextOf({ result }: ReplayedTurn): Readonly<Record<string, unknown>> {
  const { actors, address } = result.group
  return (actors.get(address)?.snapshot.context ?? {}) as Readonly<Record<string, unknown>>
}

function declineOf(turn: ReplayedTurn): string | null {
  const reason = contextOf(turn)["declineReason"]
  return typeof reason === "string" ? reason : null
}

/** True when the turn brings a credential. */
function isPaying({ input: { event } }: ReplayedTurn): boolean {
  return (
    event?.type === "payment.requested" || (event?.type === "reserve.requested" && event["pays"] === true)
  )
}

/** True when the credential before is released first. */
function isReleasing({ result }: ReplayedTurn): boolean {
  const { actors, address } = result.group
  const payment = actors.get(`${address}/payment`)?.snapshot.value
  return typeof payment === "object" && payment !== null && "voiding" in payment
}

/** True when the rules found no vehicle and said so. */
function isWithoutVan(turn: ReplayedTurn): boolean {
  const { outcome } = turn.result
  if (outcome.type === "refused") return outcome.code === "NO_CAPACITY"
  return turn.input.event?.type === "confirm.requested" && declineOf(turn) === "no_capacity"
}

function phaseIn(value: unknown): CourierPhase {
  const text = typeof value === "string" ? value : textOf(Object.values(value as object)[0])
  return text as CourierPhase
}

/** One request to the payment processor. */
interface PaymentCall {
  /** The turn that asked for it. */
  readonly turn: ReplayedTurn
  readonly atMs: EpochMs
  readonly tookMs: number
  /** Null when it was done. */
  readonly reason: string | null
  /** No result came. */
  readonly isLost: boolean
}

function paymentCallsOf(turns: readonly ReplayedTurn[]): readonly PaymentCall[] {
  return turns.flatMap((turn) =>
    turn.result.calls.map((call): PaymentCall => {
      const found = turns.find(
        ({ input }) =>
          input.by === "result" && input.to === call.actor && input.event?.["attempt"] === call.attempt,
      )
      const atMs = turn.result.instantMs
      const reason = found?.input.event?.["reason"]
      return {
        turn,
        atMs,
        tookMs: found === undefined ? LOST_AFTER_MS : found.input.instantMs - atMs,
        reason: typeof reason === "string" ? reason : null,
        isLost: found === undefined,
      }
    }),
  )
}
