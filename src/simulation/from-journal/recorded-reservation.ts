/**
 * Writes the scenario that repeats what a reservation of a journal went through: its commands at their times, the answers of
 * its open link, and after each change what became of it. What the language cannot say is in the notes, which also are
 * comments of the file.
 */

import type { EpochMs } from "../../model/values/time.ts"
import { botStatus, handoffStatus, reservationStatus } from "../../areas/reservations/record.ts"
import { DEFAULT_POLICY } from "../../engine/services/policies.ts"
import { USUAL_ANSWER_MS } from "../outside-world.ts"
import type { ReplayedTurn } from "../replay.ts"
import type { RecordedGroup } from "./recorded-group.ts"
import { writtenDuration } from "../scenario/language/scenario-text.ts"
import { commandOf, isLoss, isWalked, linkCallsOf, sidesOf, textOf } from "./recorded-visit.ts"
import type { Box, LinkCall } from "./recorded-visit.ts"
import type { WrittenParts } from "./scenario-file.ts"
import { StepList } from "./step-list.ts"

const NAME = "order"

/** The parts of the scenario of a reservation whose start is in the journal. */
export function reservationParts(recorded: RecordedGroup): WrittenParts {
  const [first] = recorded.turns
  const input = first?.input.start?.input
  if (first === undefined || input === undefined) throw new TypeError(`${recorded.group} has no start`)
  const list = new StepList(first.input.instantMs, recorded.timeZone)
  const writer = new StepWriter(list, recorded)
  const given = givenOf(first, writer)
  writer.write()
  return {
    title: `What a reservation went through on ${list.local.slice(0, 10)}`,
    because: null,
    clock: `${list.local} ${recorded.timeZone}`,
    isSandbox: isWalked(recorded.turns),
    given,
    steps: list.steps,
    notes: list.notes,
  }
}

interface Stall {
  readonly stallId: string
  readonly overlapping: number
}

type StartInput = Readonly<Record<string, unknown>>

/** The site with as many stalls, and the policy of the booking. Other bookings at its time are made first. */
function givenOf({ input }: ReplayedTurn, writer: StepWriter): object {
  const start: StartInput = input.start?.input ?? {}
  const facts = (input.facts ?? {}) as { readonly stalls?: readonly Stall[]; readonly limits?: StartInput }
  const stalls = facts.stalls ?? []
  const taken = stalls.map(({ overlapping }) => overlapping)
  const others = taken.reduce((sum, count) => sum + count, 0)
  const isEven = taken.every(
    (count, at) => count === Math.floor(others / taken.length) + (at < others % taken.length ? 1 : 0),
  )
  writer.others = isEven ? others : 0
  if (!isEven) {
    writer.note(
      `the ${others} other bookings at its time, which took the stalls unevenly; the stall may be another one`,
    )
  }
  const policy = { ...policyOf(start["policy"] as StartInput), ...limitsOf(facts.limits ?? {}) }
  for (const [name, usual] of Object.entries(UNSAID_POLICY)) {
    const found = (start["policy"] as StartInput)[name]
    if (JSON.stringify(found) !== JSON.stringify(usual))
      writer.note(`the policy value ${name}, ${JSON.stringify(found)} then and ${JSON.stringify(usual)} here`)
  }
  return {
    site: { stalls: Math.max(1, stalls.length), runners: start["hasRunner"] !== false },
    ...(Object.keys(policy).length === 0 ? {} : { policy }),
  }
}

const { reservation: USUAL, window: USUAL_WINDOW } = DEFAULT_POLICY

/** Policy values that scenarios have no word for. */
const UNSAID_POLICY = {
  openLinkBackoffMs: USUAL.openLinkBackoffMs,
  openLinkLeaseMs: USUAL.openLinkLeaseMs,
  openLinkResendsMax: USUAL.openLinkResendsMax,
}

/** The values that differ from the usual ones. */
function policyOf(found: StartInput): object {
  const ms = { window_grace: "windowGraceMs", bot_wait: "botWaitMs", staging_lead: "stagingLeadMs" } as const
  const durations = Object.entries(ms).flatMap(([word, name]) =>
    found[name] === USUAL[name] ? [] : [[word, writtenDuration(Number(found[name]))]],
  )
  const attempts = found["openLinkAttemptsMax"]
  return {
    ...Object.fromEntries(durations),
    ...(attempts === USUAL.openLinkAttemptsMax ? {} : { open_link_attempts: attempts }),
  }
}

function limitsOf(found: StartInput): object {
  const ms = {
    window_ahead_max: "aheadMsMax",
    window_width_min: "widthMsMin",
    window_width_max: "widthMsMax",
  } as const
  return Object.fromEntries(
    Object.entries(ms).flatMap(([word, name]) =>
      found[name] === undefined || found[name] === USUAL_WINDOW[name]
        ? []
        : [[word, writtenDuration(Number(found[name]))]],
    ),
  )
}

/** What a partner sees of a reservation. */
type View = { readonly [field: string]: string | null }

class StepWriter {
  others = 0
  readonly #list: StepList
  readonly #recorded: RecordedGroup
  #seen: View = {}
  readonly #runners = new Map<string, string>()
  #lostCalls: readonly LinkCall[] = []

  constructor(list: StepList, recorded: RecordedGroup) {
    this.#list = list
    this.#recorded = recorded
  }

  note(text: string): void {
    this.#list.note(text)
  }

  write(): void {
    const { turns, webhookDeliveries } = this.#recorded
    const calls = linkCallsOf(turns)
    this.#lostCalls = calls.filter(({ answer, isMadeAgain }) => answer === null && !isMadeAgain)
    const [first] = turns
    if (first !== undefined) this.#book(first)
    this.#scriptLink(calls)
    for (let at = 1; at < turns.length; at += 1) {
      const turn = turns[at]
      if (turn === undefined) continue
      if (turn.input.by === "command") this.#command(turn)
      else {
        const last = this.#lastOfInstant(at)
        this.#change(turns.slice(at, last + 1))
        at = last
      }
    }
    if (webhookDeliveries > 0) {
      const what = webhookDeliveries === 1 ? "delivery of a webhook" : "deliveries of webhooks"
      this.note(`${webhookDeliveries} ${what}: their receivers belong to other groups`)
    }
    this.note("free texts (reasons, labels, messages), which no journal has")
  }

  /** The last turn of a timer, message or result at the instant of this one. */
  #lastOfInstant(at: number): number {
    const { turns } = this.#recorded
    let last = at
    for (
      let next = turns[last + 1];
      next?.input.by !== "command" && next !== undefined;
      next = turns[last + 1]
    ) {
      if (next.input.instantMs !== turns[at]?.input.instantMs) break
      last += 1
    }
    return last
  }

  #book(turn: ReplayedTurn): void {
    const input: StartInput = turn.input.start?.input ?? {}
    const window = [
      { instantMs: Number(input["startsAtMs"]) },
      { instantMs: Number(input["endsAtMs"]) },
    ] as const
    for (let number = 1; number <= this.others; number += 1) {
      this.#list.add({
        do: "reservation.create",
        as: `other-${number}`,
        with: this.#list.writtenFields({ window }, this.#list.nowMs),
      })
    }
    const limit = input["payloadLimit"] as { maxWeightKg: number | null; maxDimensionsCm: Box | null } | null
    const { maxWeightKg = null, maxDimensionsCm = null } = limit ?? {}
    const fields = {
      window,
      ...(maxWeightKg === null ? {} : { max_weight_kg: maxWeightKg }),
      ...(maxDimensionsCm === null ? {} : { max_dimensions_cm: sidesOf(maxDimensionsCm) }),
    }
    this.#list.step(turn.input.instantMs, {
      do: "reservation.create",
      as: NAME,
      with: this.#list.writtenFields(fields, turn.input.instantMs),
    })
    this.#expectNow(turn)
  }

  #scriptLink(calls: readonly LinkCall[]): void {
    if (calls.length === 0) return
    const answers = calls.map(({ answer, tookMs }) => {
      // A lost call takes an answer that never arrives.
      if (typeof answer !== "number") return answer ?? "timeout"
      return tookMs === USUAL_ANSWER_MS ? answer : { status: answer, after: writtenDuration(tookMs) }
    })
    for (const { answer, reason, tookMs } of calls) {
      if (answer === "refused" && reason !== "connection_failed")
        this.note(`why the open link failed (${reason}); here it refuses the connection`)
      if (answer === "refused" && tookMs > 0)
        this.note(`that a refused connection of the open link took ${writtenDuration(tookMs)}; here none`)
    }
    const isUsual = calls.every(({ answer, tookMs }) => answer === 200 && tookMs === USUAL_ANSWER_MS)
    if (!isUsual) this.#list.add({ inject: "open_link.answers", for: NAME, with: { answers } })
  }

  #command(turn: ReplayedTurn): void {
    const { input } = turn
    const command = commandOf(turn)
    if (command === null) {
      this.note(
        `${input.event?.type ?? "a command"} at ${this.#list.clock.show(input.instantMs)}: no word sends it`,
      )
      this.#expectNow(turn)
      return
    }
    const runnerId = input.event?.["runnerId"]
    const runner = typeof runnerId === "string" ? { runner: this.#runnerOf(runnerId) } : {}
    const fields = { ...this.#list.writtenFields(command.with, input.instantMs), ...runner }
    const said = { do: command.do, for: NAME, ...(Object.keys(fields).length === 0 ? {} : { with: fields }) }
    const code = refusalOf(turn)
    this.#list.step(input.instantMs, code === null ? said : { refuse: { ...said, code } })
    this.#loseCalls(input.instantMs)
    if (code === null) this.#expectNow(turn)
  }

  #loseCalls(instantMs: EpochMs): void {
    if (this.#lostCalls.some(({ atMs }) => atMs === instantMs))
      this.#list.step(instantMs, { inject: "calls.lost" })
  }

  #runnerOf(id: string): string {
    const known = this.#runners.get(id)
    if (known !== undefined) return known
    const name = `run_${this.#runners.size + 1}`
    this.#runners.set(id, name)
    return name
  }

  /** What the command made of it, at once. */
  #expectNow(turn: ReplayedTurn): void {
    const changed = this.#changed(turn)
    if (changed !== null) this.#list.add({ expect: { reservation: NAME, ...changed } })
    for (const fact of publishedIn([turn])) this.#list.add({ expect: { ...fact, for: NAME } })
  }

  /** What became of it without a command: a timer ended, or a call had a result. */
  #change(turns: readonly ReplayedTurn[]): void {
    const last = turns.at(-1)
    if (last === undefined) return
    const { instantMs } = last.input
    if (turns.some(({ input }) => isLoss(input.event))) this.#list.step(instantMs, { inject: "node.lost" })
    const changed = this.#changed(last)
    const seen = [
      ...(changed === null ? [] : [{ reservation: NAME, ...changed }]),
      ...publishedIn(turns).map((fact) => ({ ...fact, for: NAME })),
    ]
    const facts = seen.length > 0 ? seen : stateIn(last)
    for (const [at, fact] of facts.entries()) {
      if (at === 0) this.#list.expectAt(instantMs, fact)
      else this.#list.add({ expect: fact })
    }
    this.#loseCalls(instantMs)
  }

  #changed({ result }: ReplayedTurn): View | null {
    const { actors, address } = result.group
    const context = actors.get(address)?.snapshot.context as
      { readonly canceledBy?: string | null } | undefined
    const now: View = {
      status: reservationStatus(actors, address),
      canceled_by: context?.canceledBy ?? null,
      bot: botStatus(actors, address),
      handoff: handoffStatus(actors, address),
    }
    const changed = Object.entries(now).filter(([field, value]) => this.#seen[field] !== value)
    const isFirst = Object.keys(this.#seen).length === 0
    this.#seen = now
    const shown = isFirst ? changed.filter(([, value]) => value !== null) : changed
    return shown.length === 0 ? null : Object.fromEntries(shown)
  }
}

/** The state of the actor that the turn moved, if a step can name it: of open links that is the last one. */
function stateIn({ input, result }: ReplayedTurn): readonly object[] {
  const { actors, address } = result.group
  const part = input.to.slice(address.length + 1)
  const number = /^open-link-(\d+)$/.exec(part)?.[1]
  const isLast = number === undefined || !actors.has(`${address}/open-link-${Number(number) + 1}`)
  const value = actors.get(input.to)?.snapshot.value
  if (!result.hasMoved || value === undefined || !isLast) return []
  const actor = part === "" ? "reservation" : part.replace(/-\d+$/, "")
  return [{ state: pathOf(value), actor, for: NAME }]
}

function pathOf(value: unknown): string {
  if (typeof value === "string") return value
  return Object.entries(value as object)
    .map(([state, inside]) => `${state}.${pathOf(inside)}`)
    .join(", ")
}

/** Exceptions and milestones that the turns published. */
function publishedIn(turns: readonly ReplayedTurn[]): readonly object[] {
  return turns.flatMap(({ result }) =>
    result.emissions.flatMap(({ event, extras }): readonly object[] => {
      if (event === "reservation.exception") return [{ exception: textOf(extras["reason_code"]) }]
      return typeof extras["milestone"] === "string" ? [{ milestone: extras["milestone"] }] : []
    }),
  )
}

function refusalOf({ result: { outcome } }: ReplayedTurn): string | null {
  return outcome.type === "refused" ? outcome.code : null
}
