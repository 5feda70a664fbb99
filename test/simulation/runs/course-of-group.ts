/** What a group of a run went through, for comparisons of a scenario with the one written from its journal. */

import type { EntryBody } from "../../../src/engine/kernel/journal.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import type { ScenarioRun } from "../../../src/simulation/scenario/run.ts"

/** Each change of an actor's state, each published event and refusal, with its instant. */
export function courseOf(run: ScenarioRun, group: string): readonly string[] {
  const states = new Map<string, string>()
  let startMs: number | null = null
  return run.entries.flatMap(({ entry, instantMs }) => {
    if (entry.group !== group) return []
    const { steps, refused, to } = JSON.parse(entry.text) as EntryBody
    startMs ??= instantMs
    const at = instantMs - startMs
    const changes = steps.flatMap(({ a, value, asked }) => {
      const actor = a.slice(group.length)
      const state = JSON.stringify(value)
      const isSame = states.get(actor) === state
      states.set(actor, state)
      const events = asked.flatMap((one) => {
        if (one.type !== "kernel.publish") return []
        const { reason_code: code, milestone, previous_status: previous } = one.extras as Extras
        return [`${at} publishes ${one.event} ${code ?? milestone ?? previous ?? ""}`]
      })
      return [...(isSame ? [] : [`${at} ${actor} ${state}`]), ...events]
    })
    return [...changes, ...(refused === null ? [] : [`${at} ${to.slice(group.length)} refuses ${refused}`])]
  })
}

interface Extras {
  readonly milestone?: string
  readonly previous_status?: string
  readonly reason_code?: string
}

/** In the order of their starts. */
export function groupsOf(run: ScenarioRun, kind: string): readonly string[] {
  return [...new Set(run.entries.map(({ entry }) => entry.group))].filter((group) =>
    group.startsWith(`${kind}/`),
  )
}

export function nameOf({ title, variant }: Scenario): string {
  return variant === null ? title : `${title}, ${variant}`
}
