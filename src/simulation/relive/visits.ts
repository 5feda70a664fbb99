/** The visits of both courses, compared: how each ends, and the first entry in which it differs. */

import { idOf, kindOf, partOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { CURB_WAIT_MS } from "../../model/values/limits.ts"
import type { RelivedVisit } from "../../model/requests/relive.ts"
import { MINUTE_MS, SECOND_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { statePath } from "../../engine/kernel/step.ts"
import type { TurnInput } from "../../engine/kernel/journal.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { CaseWatch } from "../fleet/moment/case-watch.ts"
import type { Case } from "../fleet/moment/case-watch.ts"
import { VISIT_KINDS } from "./relived.ts"

/** An entry of a visit, in either course. */
export interface VisitTurn {
  readonly input: TurnInput
  readonly result: TurnResult
  /** Its line in the record; null for an entry of the new course alone. */
  readonly s: number | null
  readonly isDrawn: boolean
}

export interface Wording {
  /** An instant as people of the site read it, such as `18:41:08`. */
  readonly clock: (atMs: EpochMs) => string
  /** The name of an event of a machine: `after window and grace` for a timer's. */
  readonly eventName: (type: string, machine: string | null) => string
}

type End = RelivedVisit["after"]

/** The first pair of entries that is unlike; one of them may be absent. */
export interface FirstUnlike {
  readonly group: GroupAddress
  readonly before: VisitTurn | null
  readonly after: VisitTurn | null
}

export interface ComparedVisit {
  readonly id: string
  readonly kind: RelivedVisit["kind"]
  readonly before: End
  readonly after: End
  /** Null: it is the same in both courses. */
  readonly first: FirstUnlike | null
  readonly isDrawn: boolean
}

/** Unlike by less is the same time. */
const APART_MS_MIN = SECOND_MS
const SOONER_MS_MIN = MINUTE_MS

/** In the order of their ids' first entries. */
export function comparedVisits(
  before: readonly VisitTurn[],
  after: readonly VisitTurn[],
  untilMs: EpochMs,
): readonly ComparedVisit[] {
  const [recorded, relived] = [byVisit(before), byVisit(after)]
  const ids = new Set([...recorded.keys(), ...relived.keys()])
  return [...ids].map((id) => {
    const [ones, others] = [recorded.get(id) ?? [], relived.get(id) ?? []]
    return {
      id,
      kind: kindOfVisit([...ones, ...others]),
      before: endOf(id, ones, untilMs),
      after: endOf(id, others, untilMs),
      first: firstUnlikeOf(ones, others),
      isDrawn: others.some(({ isDrawn }) => isDrawn),
    }
  })
}

function byVisit(turns: readonly VisitTurn[]): ReadonlyMap<string, VisitTurn[]> {
  const visits = new Map<string, VisitTurn[]>()
  for (const turn of turns) {
    const { address } = turn.result.group
    if (!turn.result.hasGroup || !VISIT_KINDS.includes(kindOf(address))) continue
    const known = visits.get(idOf(address))
    if (known === undefined) visits.set(idOf(address), [turn])
    else known.push(turn)
  }
  return visits
}

function kindOfVisit(turns: readonly VisitTurn[]): RelivedVisit["kind"] {
  const kinds = turns.map(({ result }) => kindOf(result.group.address))
  if (kinds.includes("reservation")) return "reservation"
  return kinds.includes("courier-order") ? "errand" : "delivery"
}

function endOf(id: string, turns: readonly VisitTurn[], untilMs: EpochMs): End {
  if (turns.length === 0) return { is: "none", at_ms: null, is_late: false }
  const kind = kindOfVisit(turns) === "reservation" ? "reservation" : "delivery"
  const verdictOf = (limitMs: number) => {
    const of: Case = kind === "reservation" ? { kind, id, limitMs } : { kind, id, dueMs: limitMs }
    const watch = new CaseWatch(of)
    for (const { result } of turns) watch.take(result)
    return watch.verdictAt(untilMs)
  }
  const end = verdictOf(Infinity)
  if (end.is === "open") return { is: "open", at_ms: null, is_late: isLate(kind, verdictOf) }
  if (end.is === "called off") return { is: "called_off", at_ms: end.atMs, is_late: false }
  return { is: end.is === "good" ? "met" : "lost", at_ms: end.atMs, is_late: isLate(kind, verdictOf) }
}

/** A record does not say by when a delivery was promised. */
function isLate(
  kind: "delivery" | "reservation",
  verdictOf: (limitMs: number) => { readonly is: string; readonly how?: string },
): boolean {
  return kind === "reservation" && verdictOf(CURB_WAIT_MS).how === "late"
}

function firstUnlikeOf(before: readonly VisitTurn[], after: readonly VisitTurn[]): FirstUnlike | null {
  const groups = new Set([...before, ...after].map(({ result }) => result.group.address))
  let first: FirstUnlike | null = null
  for (const group of groups) {
    const [ones, others] = [before, after].map((turns) =>
      turns.filter(({ result }) => result.group.address === group),
    ) as [VisitTurn[], VisitTurn[]]
    const length = Math.max(ones.length, others.length)
    for (let at = 0; at < length; at += 1) {
      const pair = { group, before: ones[at] ?? null, after: others[at] ?? null }
      if (!isUnlike(pair)) continue
      if (first === null || instantOf(pair) < instantOf(first)) first = pair
      break
    }
  }
  return first
}

function isUnlike({ before, after }: FirstUnlike): boolean {
  if (before === null || after === null) return true
  if (Math.abs(before.result.instantMs - after.result.instantMs) >= APART_MS_MIN) return true
  return whatHappened(before) !== whatHappened(after)
}

/** Limits, ids and instants are left out: what is compared is what came and what became of it. */
function whatHappened({ input, result }: VisitTurn): string {
  const { to, by, event, timer } = input
  const steps = result.steps.map(({ to: actor, on, stepped: { did, snapshot } }) => [
    actor,
    on.type,
    on["decided"],
    did,
    snapshot.value,
  ])
  const published = result.emissions.map((one) => one.event)
  const refused = result.outcome.type === "refused" ? result.outcome.code : null
  return JSON.stringify([to, by, event?.type, timer, steps, published, refused])
}

/** When the courses part. */
export function instantOf({ before, after }: FirstUnlike): EpochMs {
  return Math.min(before?.result.instantMs ?? Infinity, after?.result.instantMs ?? Infinity)
}

export function changeOf({ before, after }: Pick<ComparedVisit, "after" | "before">): RelivedVisit["change"] {
  if (before.is !== "met" && after.is === "met") return "saved"
  if (before.is === "met" && after.is !== "met") return "lost"
  if (before.at_ms === null || after.at_ms === null || before.is !== "met") return "other"
  if (before.at_ms - after.at_ms >= SOONER_MS_MIN) return "sooner"
  return after.at_ms - before.at_ms >= SOONER_MS_MIN ? "later" : "other"
}

/** The first difference as a sentence. */
export function firstWords({ before, after }: FirstUnlike, wording: Wording): string {
  const [was, is] = [before, after].map((turn) => (turn === null ? null : turnWords(turn, wording)))
  if (was === null || before === null) return `now ${is ?? ""}; the record has nothing like it`
  if (is === null || after === null) return `it was ${was}; now nothing comes`
  const at = wording.clock(after.result.instantMs)
  return was === is ? `${was}, now at ${at}` : `it was ${was}; now, at ${at}, ${is}`
}

/** `bot bot.arrived → at_stall`; the outside's part is marked when it is drawn. */
function turnWords({ input, result, isDrawn }: VisitTurn, { eventName }: Wording): string {
  const { to, event } = input
  const actor = result.group.actors.get(to)
  const name = eventName(event?.type ?? "@start", actor?.machine ?? null)
  const end = result.outcome.type === "refused" ? `refused (${result.outcome.code})` : stateAfter(actor)
  return `${partOf(to)} ${name} → ${end}${isDrawn ? " (drawn)" : ""}`
}

function stateAfter(actor: { readonly snapshot: Parameters<typeof statePath>[0] } | undefined): string {
  return actor === undefined ? "gone" : statePath(actor.snapshot)
}
