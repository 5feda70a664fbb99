/** Which events from outside the group an actor can take next, by its chart and its active states. */

import { isRefusal } from "../chart/refusal.ts"
import type { ChartDocument, ChartEdge, ChartNode } from "../chart/chart-document.ts"
import { listed } from "../../model/values/listed.ts"
import { upTo } from "../../model/values/text-ends.ts"

export interface Awaited {
  /** Events that lead out of the innermost state, or have an effect in it alone. */
  readonly next: readonly string[]
  /** Events that are possible beside these: the outer states take them too, or they change no state. */
  readonly atAnyTime: readonly string[]
}

/**
 * Events that machines send inside their group, by the receiving machine; every other event comes from outside. A chart does not
 * have this. A test compares it with recorded runs.
 */
const FROM_OWN_GROUP: Readonly<Record<string, readonly string[]>> = {
  bot: ["reservation.ended"],
  "courier-order": ["payment.authorized", "payment.captured", "payment.declined"],
  "courier-payment": ["authorize.requested", "capture.requested", "release.requested"],
  "open-link": ["open_link.dropped"],
  reservation: ["bot.arrived", "bot.departed", "order.loaded", "parts.ended"],
  "runner-task": [
    "bot.aborted",
    "bot.arrived",
    "bot.departed",
    "bot.eta_changed",
    "bot.inbound",
    "bot.ready",
    "bot.secured",
    "open_link.failed",
    "open_link.opened",
    "reservation.ended",
    "window.moved",
  ],
}

/** `kind`: the machine without its version. */
export function isFromOwnGroup(kind: string, event: string): boolean {
  return FROM_OWN_GROUP[kind]?.includes(event) ?? false
}

/** `active`: paths of the active states. A settled actor awaits nothing; one that rests awaits nothing next. */
export function awaitedBy({ id, nodes, edges }: ChartDocument, active: readonly string[]): Awaited {
  const kind = upTo(id, "@")
  const states = nodes.filter(({ path }) => path === "" || active.includes(path))
  const next: string[] = []
  const atAnyTime: string[] = []
  if (states.some(({ tags }) => tags.includes("settled"))) return { next, atAnyTime }
  const taken = new Set<string>()
  // An inner state's own transitions hide those of the outer ones.
  for (const state of states.toReversed()) {
    const isInnermost = !states.some(({ parent }) => parent === state.id)
    const own = edges.filter(({ source, kind: way }) => source === state.id && way === "event")
    for (const [event, candidates] of Map.groupBy(own, (edge) => edge.event ?? "")) {
      if (taken.has(event)) continue
      taken.add(event)
      if (event.startsWith("call.") || isFromOwnGroup(kind, event) || !candidates.some(hasEffect)) continue
      const isNext = isInnermost && !state.tags.includes("resting") && leadsOn(candidates, state)
      if (isNext) next.push(event)
      else atAnyTime.push(event)
    }
  }
  return { next, atAnyTime }
}

/** Refusals and repeats change nothing: the names of their actions say so. */
function hasEffect(edge: ChartEdge): boolean {
  const repeats = edge.internal && edge.actions.some((name) => /^(?:answer that|take the repeat)/.test(name))
  return !repeats && !isRefusal(edge)
}

/** To another state, or without one: an event that enters the same state or one around it again leads nowhere. */
function leadsOn(candidates: readonly ChartEdge[], { id }: ChartNode): boolean {
  const targets = candidates.flatMap((edge) => edge.targets)
  return targets.length === 0 || targets.some((target) => target !== id && !id.startsWith(`${target}.`))
}

/** Of a longer list, some are counted instead. */
const WORDS_MAX = 4

/** `secured, departed or aborted` for events of the part `bot`; `load recorded or open link retried`. */
export function eventWords(part: string, events: readonly string[]): string {
  const named = events.map((event) => {
    const own = `${part.replaceAll("-", "_")}.`
    return (event.startsWith(own) ? event.slice(own.length) : event).replaceAll(/[._]/g, " ")
  })
  const isLong = named.length > WORDS_MAX
  const words = isLong ? [...named.slice(0, WORDS_MAX - 1), `${named.length - WORDS_MAX + 1} more`] : named
  return listed(words, "or")
}
