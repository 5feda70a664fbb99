/**
 * Runs a written scenario and compares what the group goes through with the journal: the states of its actors, what it
 * publishes and refuses, and when.
 */

import type { GroupAddress } from "../../model/address.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Entry, EntryBody } from "../../engine/kernel/journal.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { errandGroup } from "../../areas/courier/errand.ts"
import { deliveryRowOf } from "../scenario/direct-delivery/do-delivery.ts"
import { readSource } from "../scenario/language/read.ts"
import type { RunContext } from "../scenario/run-context.ts"
import { runScenario } from "../scenario/run.ts"
import { writtenDuration } from "../scenario/language/scenario-text.ts"
import { scenarioFile, stepAtLine } from "./scenario-file.ts"
import type { WrittenParts, WrittenScenario } from "./scenario-file.ts"

/** Why the journal's group cannot be repeated, in words. */
export class NotRepeatable extends Error {
  override readonly name = "NotRepeatable"
}

/** The name of the group in its written steps. */
const NAME = "order"

/**
 * The scenario that repeats the turns of a group. What the service refuses in the first run was refused in the journal
 * too, or its answer was; these steps are written as refusals. Throws `NotRepeatable` with the first difference.
 */
export function repeated(parts: WrittenParts, turns: readonly TurnResult[]): WrittenScenario {
  const tried = takeOnce(scenarioFile(parts), true)
  const steps = [...parts.steps]
  for (const { line, code } of tried.refused) {
    const at = stepAtLine(tried.text, line)
    const { at: time, ...refused } = (steps[at] ?? {}) as { readonly at?: string }
    steps[at] = { ...(time === undefined ? {} : { at: time }), refuse: { ...refused, code } }
  }
  const written = scenarioFile({ ...parts, steps })
  const again = takeOnce(written, false)
  const difference = firstDifference(courseOf(entriesOf(turns)), courseOf(again.entries))
  if (difference !== null) throw new NotRepeatable(difference)
  const [failure] = again.failures
  if (failure !== undefined) throw new NotRepeatable(failure)
  return written
}

function entriesOf(turns: readonly TurnResult[]): readonly EntryAt[] {
  return turns.flatMap(({ entry, instantMs }) => (entry === null ? [] : [{ entry, instantMs }]))
}

interface EntryAt {
  readonly entry: Entry
  readonly instantMs: EpochMs
}

interface Taken {
  readonly text: string
  readonly entries: readonly EntryAt[]
  readonly refused: readonly { readonly line: number; readonly code: string }[]
  readonly failures: readonly string[]
}

function takeOnce({ text }: WrittenScenario, isTolerant: boolean): Taken {
  const { scenarios, problems } = readSource({ file: "written.yaml", text }, null)
  const [scenario] = scenarios
  if (scenario === undefined) throw new NotRepeatable(problems[0]?.message ?? "nothing was written")
  const found: { group: GroupAddress | null } = { group: null }
  const run = runScenario(scenario, {
    isTolerant,
    atEnd: (ended) => {
      found.group = groupIn(ended)
    },
  })
  return {
    text,
    entries: run.entries.filter(({ entry }) => entry.group === found.group),
    refused: run.refused.map(({ step, code }) => ({ line: step.place.line, code })),
    failures: run.failures.map(({ message }) => message),
  }
}

function groupIn(run: RunContext): GroupAddress | null {
  const errandId = run.errandIds.get(NAME)
  if (errandId !== undefined) return errandGroup(errandId)
  const row = deliveryRowOf(run, NAME)
  return row === null ? null : `delivery/${row.deliveryId}`
}

interface Moment {
  /** From the start of the group. */
  readonly afterMs: number
  readonly what: string
}

function courseOf(entries: readonly EntryAt[]): readonly Moment[] {
  const states = new Map<string, string>()
  const startMs: EpochMs = entries[0]?.instantMs ?? 0
  return entries.flatMap(({ entry, instantMs }) => {
    const { steps, refused } = JSON.parse(entry.text) as EntryBody
    const changes = steps.flatMap(({ a: actor, value, asked }) => {
      const part = actor.slice(entry.group.length + 1)
      const state = JSON.stringify(value)
      const isSame = states.get(part) === state
      states.set(part, state)
      const published = asked.flatMap((one) =>
        one.type === "kernel.publish" ? [`it publishes ${one.event} ${textOfExtras(one.extras)}`.trim()] : [],
      )
      const name = part === "" ? "it" : `its ${part}`
      return [...(isSame ? [] : [`${name} is in ${state.replaceAll('"', "")}`]), ...published]
    })
    const refusals = refused === null ? [] : [`it refuses with ${refused}`]
    return [...changes, ...refusals].map((what) => ({ afterMs: instantMs - startMs, what }))
  })
}

function textOfExtras(extras: object): string {
  return Object.values(extras)
    .filter((value) => typeof value === "string")
    .join(" ")
}

function firstDifference(recorded: readonly Moment[], again: readonly Moment[]): string | null {
  for (let at = 0; at < Math.max(recorded.length, again.length); at += 1) {
    const [one, other] = [recorded[at], again[at]]
    if (one?.what === other?.what && one?.afterMs === other?.afterMs) continue
    return `${said("in the journal", one)}, ${said("in the repetition", other)}`
  }
  return null
}

function said(where: string, moment: Moment | undefined): string {
  return moment === undefined
    ? `${where} nothing more happens`
    : `${where} ${moment.what} after ${writtenDuration(moment.afterMs)}`
}
