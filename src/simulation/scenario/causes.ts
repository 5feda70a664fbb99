/** Why a group is in its state: what it waits for, and the chain of causes of its last turn. */

import { kindOf } from "../../model/address.ts"
import type { Group } from "../../engine/kernel/group.ts"
import type { EntryBody } from "../../engine/kernel/journal.ts"
import { statePath } from "../../engine/kernel/step.ts"
import { showDuration } from "./language/shown-duration.ts"
import type { RunContext } from "./run-context.ts"

const LINKS_MAX = 6

/** Sentences, nearest first: each actor's state, armed timers, then the chain of entries that led here. */
export function explainGroup(run: RunContext, address: string | null): readonly string[] {
  const group = address === null ? null : run.service.host.groups.get(address)
  if (group === null) return []
  return [...states(run, group), ...timers(run, group), ...chainOf(run, group)]
}

function states(run: RunContext, group: Group): readonly string[] {
  const named = [...group.actors].map(([address, actor]) => {
    const part = address === group.address ? kindOf(address) : address.slice(group.address.length + 1)
    return `${part} ${statePath(actor.snapshot)}`
  })
  return [`at ${run.clock.show(run.nowMs)}: ${named.join(", ")}`]
}

function timers(run: RunContext, group: Group): readonly string[] {
  return [...group.timers.values()]
    .toSorted((a, b) => a.dueMs - b.dueMs)
    .map((timer) => {
      const left = showDuration(timer.dueMs - run.nowMs)
      return `armed: ${timerName(timer.id)} at ${run.clock.show(timer.dueMs)}, in ${left}`
    })
}

function chainOf(run: RunContext, group: Group): readonly string[] {
  const bodyByKey = new Map<string, { readonly body: EntryBody; readonly instantMs: number }>()
  for (const { entry, instantMs } of run.service.host.entries) {
    bodyByKey.set(`${entry.group} ${entry.revision}`, {
      body: JSON.parse(entry.text) as EntryBody,
      instantMs,
    })
  }
  const links: string[] = []
  let key: string | null = `${group.address} ${group.revision}`
  while (key !== null && links.length < LINKS_MAX) {
    const found = bodyByKey.get(key)
    if (found === undefined) break
    links.push(
      `${links.length === 0 ? "last" : "because"}: ${run.clock.show(found.instantMs)} ${said(found.body)}`,
    )
    const { cause } = found.body
    key = cause === null ? null : `${cause[0]} ${cause[1]}`
  }
  return links
}

/** One entry in a few words: its input and its result. */
function said(body: EntryBody): string {
  const part = body.to.split("/")[2] ?? body.to.split("/")[0] ?? ""
  const what = body.start !== undefined ? "starts" : timerName(body.event?.type ?? "")
  const end = body.refused === null ? "" : `, refused ${body.refused}`
  return `${body.by} ${what} → ${part}${end}`
}

/** The delay's name inside XState's timer id. */
function timerName(id: string): string {
  const found = /^xstate\.after\.(.+?)\.[^.]+(\.[^ ]*)?$/.exec(id)
  return found?.[1] ?? id
}
