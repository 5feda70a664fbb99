/**
 * The catalogue of invariants: sentences that hold in every run, each with its check. A scenario may name some under
 * `always`; by default all are checked. For each invariant, tests plant a bug that it catches.
 */

import { idOf, kindOf } from "../../model/address.ts"
import { WEBHOOK_ATTEMPTS_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { EntryBody } from "../../engine/kernel/journal.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import {
  composeReservation,
  handoffStatus,
  reservationStatus,
  runnerTaskOf,
} from "../../areas/reservations/record.ts"
import { extrasOf, rootOf } from "../../engine/services/actors.ts"
import type { ReservationRecord } from "../../areas/reservations/record.ts"
import { reservations } from "../../areas/reservations/rows.ts"
import { newEventId } from "../../model/ids.ts"
import { openedBy } from "../outside-world.ts"
import type { SimulatedService } from "../simulated-service.ts"
import type { Invariant, InvariantCheck } from "./invariant.ts"
import type { InvariantSubject } from "./language/invariant-words.ts"
import { attemptsCheck } from "./webhook-attempts.ts"
import { COURIER_INVARIANTS } from "./courier/invariants.ts"
import { DELIVERY_INVARIANTS } from "./delivery-invariants.ts"
import { webhookBodies } from "../../areas/webhooks/store.ts"
import { memoryRowsOf } from "../../engine/memory/memory-tables.ts"

/** A sentence that did not hold. */
export interface Violation {
  readonly sentence: string
  readonly found: string
  readonly atMs: EpochMs
  readonly group: string | null
}

export const INVARIANTS: readonly Invariant[] = [
  { sentence: "no reservation leaves a final status", check: () => finalStatuses() },
  {
    sentence: "canceled_by is set exactly when canceled, and cancel_reason only then",
    formerSentence: "canceled_by is told exactly when canceled, and cancel_reason only then",
    check: cancelFields,
  },
  { sentence: "occurred_at strictly increases within a reservation", check: () => occurredAt() },
  { sentence: "the snapshot in an event equals the state at that moment", check: eventSnapshots },
  {
    sentence: "every status change is published exactly once",
    formerSentence: "every status change is told exactly once",
    check: () => statusChanges(),
  },
  { sentence: "no open link is called after success, cancel or end", check: openLinkCalls },
  {
    sentence: "no webhook is attempted more than eight times",
    check: () => attemptsCheck(WEBHOOK_ATTEMPTS_MAX, () => true),
  },
  { sentence: "every attempt of a delivery sends the same bytes", check: () => sameBytes() },
  { sentence: "no stall is shared without need", check: stallSharing },
  { sentence: "every accepted reservation ends by its window's end plus grace", check: () => endsInTime() },
  ...DELIVERY_INVARIANTS,
  ...COURIER_INVARIANTS,
]

export const INVARIANT_NAMES: readonly string[] = INVARIANTS.map((invariant) => invariant.sentence)

const SUBJECT_BY_INVARIANT: ReadonlyMap<string, InvariantSubject> = new Map([
  ...DELIVERY_INVARIANTS.map(({ sentence }) => [sentence, "deliveries"] as const),
  ...COURIER_INVARIANTS.map(({ sentence }) => [sentence, "errands"] as const),
])

export function subjectOf(invariant: string): InvariantSubject {
  return SUBJECT_BY_INVARIANT.get(invariant) ?? "reservations"
}

export const FORMER_INVARIANT_NAMES: readonly string[] = INVARIANTS.flatMap(
  ({ formerSentence = null }) => formerSentence ?? [],
)

/** Watches a run from its first turn on. Collects violations, one for each sentence and group. */
export function watchInvariants(
  service: SimulatedService,
  names: readonly string[],
): {
  readonly violations: readonly Violation[]
  readonly atEnd: () => void
} {
  const violations: Violation[] = []
  const watched = INVARIANTS.filter(
    ({ sentence, formerSentence = sentence }) =>
      names.length === 0 || names.includes(sentence) || names.includes(formerSentence),
  )
  const checks = watched.map(({ sentence, check }) => ({ sentence, check: check(service) }))
  const note = (sentence: string, found: string | null, group: string | null): void => {
    if (found === null || violations.some((one) => one.sentence === sentence && one.group === group)) return
    violations.push({ sentence, found, atMs: service.host.time.nowMs, group })
  }
  service.host.onTurn((result, input) => {
    for (const { sentence, check } of checks) {
      note(sentence, check.onTurn?.(result, input) ?? null, result.group.address)
    }
  })
  service.world.onReceived((request) => {
    for (const { sentence, check } of checks) note(sentence, check.onReceived?.(request) ?? null, null)
  })
  return {
    violations,
    atEnd: () => {
      for (const { sentence, check } of checks) note(sentence, check.onEnd?.() ?? null, null)
    },
  }
}

function statusOf(result: TurnResult): string | null {
  const { address, actors } = result.group
  return kindOf(address) === "reservation" && actors.has(address) ? reservationStatus(actors, address) : null
}

function finalStatuses(): InvariantCheck {
  const finalByGroup = new Map<string, string>()
  return {
    onTurn: (result) => {
      const status = statusOf(result)
      if (status === null) return null
      const { address } = result.group
      const before = finalByGroup.get(address)
      if (before !== undefined && before !== status) return `${address} went from ${before} to ${status}`
      if (status === "completed" || status === "canceled") finalByGroup.set(address, status)
      return null
    },
  }
}

function cancelFields(service: SimulatedService): InvariantCheck {
  const rows = memoryRowsOf(service.host.store, reservations)
  return {
    onTurn: (result) => {
      const status = statusOf(result)
      const row = status === null ? null : rows.get(idOf(result.group.address))
      if (row === null) return null
      const { actors, instantMs } = result.group
      const record = composeReservation({ row, actors, nowMs: instantMs, photoUrl: null })
      const isCanceled = record.status === "canceled"
      if (isCanceled !== (record.canceled_by !== null)) {
        return `${record.reservation_id} is ${record.status} with canceled_by ${String(record.canceled_by)}`
      }
      if (!isCanceled && record.cancel_reason !== null) {
        return `${record.reservation_id} is ${record.status} with cancel_reason ${record.cancel_reason}`
      }
      return null
    },
  }
}

function occurredAt(): InvariantCheck {
  const lastByGroup = new Map<string, number>()
  return {
    onTurn: (result) => {
      for (const { occurredUs, event } of result.emissions) {
        const last = lastByGroup.get(result.group.address) ?? 0
        if (occurredUs <= last) return `${event} at ${occurredUs} µs after one at ${last} µs`
        lastByGroup.set(result.group.address, occurredUs)
      }
      return null
    },
  }
}

function eventSnapshots(service: SimulatedService): InvariantCheck {
  const bodies = memoryRowsOf(service.host.store, webhookBodies)
  const rows = memoryRowsOf(service.host.store, reservations)
  return {
    onTurn: (result) => {
      for (const { event, ordinal, occurredUs, actors } of result.emissions) {
        const kept = bodies.get(newEventId(occurredUs, result.nonce, ordinal))
        if (kept === null) continue
        const row = rows.get(idOf(result.group.address))
        if (row === null) return `${event} of a reservation without a row`
        const { data } = JSON.parse(kept.body) as {
          readonly data: { readonly reservation: ReservationRecord }
        }
        const nowMs = Math.floor(occurredUs / 1000)
        const was = composeReservation({ row, actors, nowMs, photoUrl: null })
        const different = firstDifference(data.reservation, was)
        if (different !== null) return `${event} told ${different}`
      }
      return null
    },
  }
}

/**
 * The first field in which the published record differs from the actual one; the signed photo link is not part of the
 * state.
 */
function firstDifference(told: ReservationRecord, was: ReservationRecord): string | null {
  const [one, other] = [flat(told), flat(was)]
  for (const field of new Set([...one.keys(), ...other.keys()])) {
    const [published, actual] = [one.get(field), other.get(field)]
    if (published !== actual) return `${field} ${published ?? "not at all"} when it was ${actual ?? "absent"}`
  }
  return null
}

/** Every field and every field of a block, as JSON text. */
function flat(record: ReservationRecord): ReadonlyMap<string, string> {
  const { bot, handoff, ...fields } = record
  const blocks = [
    ...Object.entries(fields),
    ...(bot === null ? [["bot", null]] : Object.entries(bot).map(([name, value]) => [`bot.${name}`, value])),
    ...(handoff === null
      ? [["handoff", null]]
      : Object.entries({ ...handoff, load_photo_url: null }).map(([name, value]) => [
          `handoff.${name}`,
          value,
        ])),
  ] as readonly (readonly [string, unknown])[]
  return new Map(blocks.map(([name, value]) => [name, JSON.stringify(value)]))
}

function statusChanges(): InvariantCheck {
  const lastByGroup = new Map<string, string>()
  return {
    onTurn: (result) => {
      if (statusOf(result) === null || result.entry === null || result.outcome.type === "refused") return null
      const { address } = result.group
      const told = result.emissions.filter((emission) => emission.event === "reservation.status_changed")
      const changes: string[] = []
      let last = lastByGroup.get(address) ?? null
      for (const step of (JSON.parse(result.entry.text) as EntryBody).steps) {
        if (step.a !== address) continue
        const status = leafOf(step.value)
        if (status !== last) changes.push(`${JSON.stringify(last)} ${JSON.stringify(status)}`)
        last = status
      }
      if (last !== null) lastByGroup.set(address, last)
      const tellings = told.map((emission) => {
        const changed = extrasOf("reservation.status_changed", emission)
        const shows = reservationStatus(emission.actors, address)
        return `${JSON.stringify(changed?.previous_status)} ${JSON.stringify(shows)}`
      })
      if (changes.join(", ") === tellings.join(", ")) return null
      return `changed ${changes.join(", ") || "nothing"}, told ${tellings.join(", ") || "nothing"}`
    },
  }
}

function leafOf(value: unknown): string {
  let rest: unknown = value
  while (typeof rest === "object" && rest !== null) rest = Object.values(rest)[0]
  return String(rest)
}

function openLinkCalls(service: SimulatedService): InvariantCheck {
  const answered = new Set<string>()
  const ready = new Set<string>()
  /** When a handoff stopped being ready: a call sent at that instant may have been sent before. */
  const endedAtMs = new Map<string, number>()
  const noteHandoff = ({ group: { address, actors } }: TurnResult): void => {
    if (kindOf(address) !== "reservation" || !actors.has(address)) return
    if (handoffStatus(actors, address) === "HANDOFF_READY") ready.add(address)
    else if (ready.delete(address)) endedAtMs.set(address, service.host.time.nowMs)
  }
  return {
    onTurn: (result, input) => {
      noteHandoff(result)
      const isAnswer =
        input.by === "result" && input.event?.type === "call.succeeded" && result.entry !== null
      if (!isAnswer || kindOf(result.group.address) !== "reservation") return null
      const [first] = (JSON.parse(result.entry.text) as EntryBody).steps
      // A late answer is ignored: its attempt counts as failed, and the next one is called.
      if (first !== undefined && first.did !== "ignored") answered.add(result.group.address)
      return null
    },
    onReceived: (request) => {
      if (openedBy(request) !== "open link") return null
      const { reservation_id } = JSON.parse(request.body) as { readonly reservation_id: string }
      const group = service.host.groups.get(`reservation/${reservation_id}`)
      if (group === null) return `a call for ${reservation_id}, which is gone`
      const handoff = handoffStatus(group.actors, group.address)
      const task = runnerTaskOf(group.actors, group.address)
      if (handoff !== "HANDOFF_READY" && endedAtMs.get(group.address) !== service.host.time.nowMs)
        return `a call for ${reservation_id} while the handoff is ${String(handoff)}`
      if (task?.openLink === "opened" || answered.has(group.address))
        return `a call for ${reservation_id} after one that succeeded`
      return null
    },
  }
}

function sameBytes(): InvariantCheck {
  const bodyById = new Map<string, string>()
  return {
    onReceived: (request) => {
      const id = request.headers["X-Service-Delivery-Id"] ?? request.headers["X-Service-Attempt-Id"]
      if (id === undefined) return null
      const before = bodyById.get(id)
      bodyById.set(id, request.body)
      return before === undefined || before === request.body
        ? null
        : `the bytes of ${id} changed between attempts`
    },
  }
}

function stallSharing(service: SimulatedService): InvariantCheck {
  const rows = memoryRowsOf(service.host.store, reservations)
  return {
    onTurn: (result, input) => {
      if (input.start?.machine !== "reservation@1" || result.entry === null) return null
      const made = rootOf("reservation", result.group).context
      const stalls = (input.facts?.["stalls"] ?? []) as readonly { readonly stallId: string }[]
      const loadOf = (stallId: string): number =>
        rows
          .all()
          .filter(
            (row) =>
              row.reservationId !== idOf(input.to) &&
              row.stallId === stallId &&
              row.status !== "completed" &&
              row.status !== "canceled" &&
              row.startsAtMs < made.endsAtMs &&
              row.endsAtMs > made.startsAtMs,
          ).length
      const load = loadOf(made.stallId)
      const free = stalls.find((stall) => loadOf(stall.stallId) < load)
      return free === undefined
        ? null
        : `${made.stallId} holds ${load} overlapping reservations, ${free.stallId} only ${loadOf(free.stallId)}`
    },
  }
}

function endsInTime(): InvariantCheck {
  const endByGroup = new Map<string, EpochMs>()
  return {
    onTurn: (result) => {
      const status = statusOf(result)
      if (status === null) return null
      const { address, instantMs } = result.group
      const { context } = rootOf("reservation", result.group)
      const endMs = context.endsAtMs + context.windowGraceMs
      const isFinal = status === "completed" || status === "canceled"
      if (!isFinal) {
        endByGroup.set(address, endMs)
        return instantMs > endMs
          ? `${address} is ${status} ${instantMs - endMs} ms after its end and grace`
          : null
      }
      const dueMs = endByGroup.get(address)
      endByGroup.delete(address)
      return dueMs !== undefined && instantMs > dueMs
        ? `${address} became ${status} ${instantMs - dueMs} ms after its end and grace`
        : null
    },
    onEnd: () => {
      const [open] = endByGroup.keys()
      return open === undefined ? null : `${open} is still open when nothing is left to happen`
    },
  }
}
