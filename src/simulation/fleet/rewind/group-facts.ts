/**
 * What the journal of one group shows: in which condition it was after each entry that changed it. An entry has the states of the
 * actors that took part, so no machine runs. Pure; it takes the entries of its group in their order.
 */

import { kindOf, partOf } from "../../../model/address.ts"
import type { GroupAddress } from "../../../model/address.ts"
import { EXCEPTION_CODES } from "../../../model/handoff.ts"
import type { ExceptionCode } from "../../../model/handoff.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { EntryBody, StepRecord } from "../../../engine/kernel/journal.ts"
import type { Context } from "../../../../machines/contracts.ts"
import { STORE_PREFIX } from "../../../areas/courier/directory/store-directory.ts"
import { stagingAtMs } from "../../../areas/reservations/record.ts"

/** A reservation with its bot and its runner task. States are paths of the machines, such as `open.at_store`. */
export interface VisitCondition {
  readonly is: "visit"
  readonly state: string
  readonly bot: string | null
  /** Null where no runner carries the order. */
  readonly task: string | null
  readonly isLoaded: boolean
  readonly runnerId: string | null
  /** From this instant a task without a runner waits for one; null without a task. */
  readonly stagingMs: EpochMs | null
  readonly retailerId: string
  readonly stallId: string
  readonly startsAtMs: EpochMs
  readonly endsAtMs: EpochMs
}

export interface RunCondition {
  readonly is: "run"
  readonly state: string
  /** It carries an agent's errand, from a store of the courier connector. */
  readonly isErrand: boolean
  readonly createdMs: EpochMs
}

export interface VehicleCondition {
  readonly is: "vehicle"
  readonly state: string
  readonly isOnline: boolean
  /** Of the active run. */
  readonly deliveryId: string | null
}

export type Condition = RunCondition | VehicleCondition | VisitCondition

export interface Fact {
  readonly atMs: EpochMs
  readonly condition: Condition
  /** Exceptions that the entry published. */
  readonly exceptions: readonly ExceptionCode[]
}

export class GroupFacts {
  readonly address: GroupAddress
  /** Earliest first. */
  readonly facts: Fact[] = []
  /** How many entries were taken: the revision of the group after the last one. */
  revision = 0

  constructor(address: GroupAddress) {
    this.address = address
  }

  /** True once nothing more comes. Vehicles go on. */
  get isOver(): boolean {
    const { condition } = this.facts.at(-1) ?? {}
    return condition !== undefined && condition.is !== "vehicle" && ENDS.has(condition.state)
  }

  /** Takes the next entry's text, and the revision that it has in its group. */
  take(text: string, revision: number): void {
    const body = JSON.parse(text) as EntryBody
    this.revision = revision
    if (body.refused !== null) return
    const before = this.facts.at(-1)?.condition ?? null
    const condition = conditionAfter(kindOf(this.address), before, body.steps)
    const exceptions = body.steps.flatMap(publishedBy)
    if (condition === null || (exceptions.length === 0 && isSame(before, condition))) return
    this.facts.push({ atMs: body.instantMs, condition, exceptions })
  }
}

/** States in which a reservation or a delivery has ended. */
const ENDS: ReadonlySet<string> = new Set(["canceled", "cancelled", "completed"])

function conditionAfter(
  kind: string,
  before: Condition | null,
  steps: readonly StepRecord[],
): Condition | null {
  switch (kind) {
    case "reservation":
      return visitAfter(before?.is === "visit" ? before : null, steps)
    case "delivery":
      return runAfter(steps) ?? before
    case "vehicle":
      return vehicleAfter(steps) ?? before
    default:
      return null
  }
}

function visitAfter(before: VisitCondition | null, steps: readonly StepRecord[]): VisitCondition | null {
  let visit = before
  for (const step of steps) {
    const state = pathOf(step.value)
    switch (partOf(step.a)) {
      case "reservation": {
        const { retailerId, stallId, startsAtMs, endsAtMs } = contextOf<"reservation">(step)
        visit = { ...(visit ?? UNKNOWN), state, retailerId, stallId, startsAtMs, endsAtMs }
        break
      }
      case "bot":
        if (visit !== null) visit = { ...visit, bot: state }
        break
      case "runner-task": {
        if (visit === null) break
        const context = contextOf<"runner-task">(step)
        visit = {
          ...visit,
          task: state,
          isLoaded: state.startsWith("loaded"),
          runnerId: context.runnerId,
          stagingMs: stagingAtMs(context),
        }
        break
      }
      default:
    }
  }
  return visit
}

const UNKNOWN = {
  is: "visit",
  bot: null,
  task: null,
  isLoaded: false,
  runnerId: null,
  stagingMs: null,
} as const

function runAfter(steps: readonly StepRecord[]): RunCondition | null {
  const last = steps.findLast(({ a }) => partOf(a) === "delivery")
  if (last === undefined) return null
  const { siteId, createdAtMs } = contextOf<"delivery">(last)
  return {
    is: "run",
    state: pathOf(last.value),
    isErrand: siteId.startsWith(STORE_PREFIX),
    createdMs: createdAtMs,
  }
}

function vehicleAfter(steps: readonly StepRecord[]): VehicleCondition | null {
  const last = steps.findLast(({ a }) => partOf(a) === "vehicle")
  if (last === undefined) return null
  const { isOnline, activeId } = contextOf<"vehicle">(last)
  return { is: "vehicle", state: pathOf(last.value), isOnline, deliveryId: activeId }
}

/** Contexts of steps are those of the machine that took them. */
function contextOf<Kind extends "delivery" | "reservation" | "runner-task" | "vehicle">(
  step: StepRecord,
): Context<Kind> {
  return step.context as unknown as Context<Kind>
}

/** `{ open: "at_store" }` is `open.at_store`. */
function pathOf(value: StepRecord["value"]): string {
  const path: string[] = []
  let rest: unknown = value
  while (typeof rest === "object" && rest !== null) {
    const [name, inner] = Object.entries(rest)[0] ?? []
    if (name === undefined) break
    path.push(name)
    rest = inner
  }
  return [...path, ...(typeof rest === "string" ? [rest] : [])].join(".")
}

function publishedBy({ asked }: StepRecord): readonly ExceptionCode[] {
  return asked.flatMap((one) => {
    const code = one.type === "kernel.publish" ? one.extras["reason_code"] : undefined
    return EXCEPTION_CODES.filter((known) => known === code)
  })
}

function isSame(one: Condition | null, other: Condition): boolean {
  return one !== null && JSON.stringify(one) === JSON.stringify(other)
}
