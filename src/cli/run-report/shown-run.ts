/** What reports and the studio show of a run, wherever it ran: names, changes of actors, and what was sent. */

import { idOf, kindOf } from "../../model/address.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { EntryBody } from "../../engine/kernel/journal.ts"
import { statesText } from "../../pages/inspection/state-value.ts"
import { outgoingMessagesOf } from "../../simulation/scenario/outgoing-messages.ts"
import type { OutgoingMessage } from "../../simulation/scenario/outgoing-messages.ts"
import type { RunContext } from "../../simulation/scenario/run-context.ts"
import type { ScenarioRun } from "../../simulation/scenario/run.ts"

export interface ShownRun extends Pick<RunContext, "clock" | "published" | "reservationId"> {
  readonly changes: readonly Change[]
  readonly messages: readonly OutgoingMessage[]
  /** The name that the scenario gave to a group. */
  readonly nameOf: (address: string) => string
}

/** The state of an actor from an instant on. */
export interface Change {
  readonly atMs: EpochMs
  readonly address: string
  readonly states: string
  readonly isEnd: boolean
}

/** A run in memory. */
export function shownRun(run: ScenarioRun, context: RunContext): ShownRun {
  return {
    clock: context.clock,
    published: context.published,
    reservationId: (name) => context.reservationId(name),
    changes: changesOf(run),
    messages: outgoingMessagesOf(context),
    nameOf: (address) => nameOfGroup(context, address),
  }
}

/** Changes of states, without those of the deliveries of webhooks, which the report lists as what was sent. */
function changesOf(run: ScenarioRun): readonly Change[] {
  const last = new Map<string, string>()
  return run.entries.flatMap(({ entry, instantMs }) => {
    if (kindOf(entry.group).startsWith("webhook")) return []
    return (JSON.parse(entry.text) as EntryBody).steps.flatMap(({ a, value, status }) => {
      const states = wordsOf(statesText(JSON.stringify(value)))
      if (last.get(a) === states) return []
      last.set(a, states)
      return [{ atMs: instantMs, address: a, states, isEnd: status !== "active" }]
    })
  })
}

/** `open.confirmed` as `confirmed`, one for each parallel region. */
function wordsOf(paths: string): string {
  return paths
    .split(" ")
    .map((path) => (path.split(".").at(-1) ?? path).replaceAll(/[_-]/g, " "))
    .join(", ")
}

/** The name that the scenario gave to a group, or its kind and the end of its id. */
function nameOfGroup(run: RunContext, address: string): string {
  const [kind, id] = [kindOf(address), idOf(address)]
  const reservation = [...run.reservationIds].find(([, one]) => one === id)?.[0]
  const vehicle = /^veh_(.+)$/.exec(id)?.[1]
  return reservation ?? run.deliveryName(id) ?? vehicle ?? `${kind} …${id.slice(-4)}`
}
