/**
 * What a sentence of advice asks an agent to do: the tool that it names, the arguments that it mentions, and what comes
 * before the call. It is read as text, by words that any such sentence could have.
 */

import { SECOND_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Value } from "./errand.ts"
import type { ToolShown } from "./tool-schemas.ts"

/** What to do next. */
export interface Step {
  /** Null when no call is needed. */
  readonly tool: ToolShown | null
  /** The call before is sent again: with the same key, with another time, or as it was. */
  readonly repeats: "call" | "key" | null
  /** Values by property, as the text names them. */
  readonly named: Readonly<Record<string, Value>>
  /** What the user must accept first. */
  readonly consent: string | null
  /** The field of the answer with a page on which the user may pay instead, and the tool that then tells of it, if it is named. */
  readonly page: { readonly field: string; readonly tool: ToolShown | null } | null
  readonly waitMs: number
  /** Not before this time. */
  readonly fromMs: EpochMs | null
  readonly placesOrder: boolean
  /** The user must mean one of the listings in this field. */
  readonly means: string | null
  /** The user must leave out what this field lists. */
  readonly leavesOut: string | null
  /** Another time than before: the next possible one. */
  readonly timeMs: EpochMs | null
  /** Something that the store has still to say. */
  readonly awaitsNews: boolean
  /** The user decides whether to go on so. */
  readonly isOffer: boolean
  /** The tool to call when the user does not. */
  readonly orElse: ToolShown | null
  readonly cancelsOrder: boolean
  readonly collects: boolean
}

const MINUTES_FEW_MS = 180_000

/** Null when the text does not say what to do. */
export function readStep(text: string, tools: readonly ToolShown[], last: ToolShown | null): Step | null {
  const sentences = text.split(/(?<=[.])\s+/)
  const duties = {
    cancelsOrder: /\bcancel the store order\b/.test(text) && !/\bor cancel it\b/.test(text),
    collects: /\bcollect the store order\b/.test(text),
  }
  const asking = sentences.find((one) => /\bcall\b/i.test(one) && !one.startsWith("No further call"))
  if (asking === undefined) {
    return /\bNo further call is needed\b/.test(text) ? { ...NOTHING, ...duties } : null
  }
  const [main = ""] = asking.split(/; or |, or with the same /)
  const own = / or (\w+) with [^,]* if the store order is already placed/.exec(main)
  const isSame = /\b[Cc]all the same tool\b/.test(main)
  const tool = isSame ? last : toolAfter(main, tools)
  if (tool === null) return null
  const orElse = toolAfter(/; or (call .*)/.exec(asking)?.[1] ?? "", tools)
  const fromMs = timeAfter(/\bfrom (\S+) on\b/, main)
  const timeMs =
    timeAfter(/\b(?:[Ff]or a pickup|next possible pickup is) at ([^\s,;)]+)/, asking) ??
    timeAfter(/\bagain with a time until ([^\s,;)]+)/, main)
  return {
    ...NOTHING,
    tool,
    repeats: repeatIn(main, isSame),
    named: namedIn(own === null ? main : main.slice(0, own.index), tool),
    consent: /\bafter the user (?:accepts|approves)[^.;]*/.exec(main)?.[0] ?? null,
    page: pageIn(main, tools),
    waitMs: waitIn(main),
    fromMs,
    placesOrder: /\bafter placing the store order\b/.test(main),
    means: / means one of (\w+)/.exec(main)?.[1] ?? null,
    leavesOut: /\bholds none of (\w+)/.exec(main)?.[1] ?? null,
    timeMs,
    awaitsNews: /\bas soon as the store says\b/.test(main),
    isOffer: orElse !== null || timeMs !== null,
    orElse,
  }
}

/** A call of the tool, with nothing before it. */
export function bareStep(tool: ToolShown | null): Step {
  return { ...NOTHING, tool }
}

/** The tool for an order that stands at the store already, when the sentence has one for that case. */
export function stepIfOrdered(text: string, tools: readonly ToolShown[]): ToolShown | null {
  const found = / or (\w+) with [^,]* if the store order is already placed/.exec(text)?.[1]
  return tools.find(({ name }) => name === found) ?? null
}

const NOTHING: Step = {
  tool: null,
  repeats: null,
  named: {},
  consent: null,
  page: null,
  waitMs: 0,
  fromMs: null,
  placesOrder: false,
  means: null,
  leavesOut: null,
  timeMs: null,
  awaitsNews: false,
  isOffer: false,
  orElse: null,
  cancelsOrder: false,
  collects: false,
}

/** The tool after the first "call". */
function toolAfter(text: string, tools: readonly ToolShown[]): ToolShown | null {
  const name = /\bcall (\w+)/i.exec(text)?.[1]
  return tools.find((tool) => tool.name === name) ?? null
}

/** The whole call again under its key, its arguments again with something else, or neither. */
function repeatIn(text: string, isSame: boolean): Step["repeats"] {
  if (/same idempotency_key/.test(text)) return "key"
  return isSame || /again with a time/.test(text) ? "call" : null
}

/** Properties of the tool that are followed by a value of theirs: `delivery_id dlv_…`, `update_type payment`. */
function namedIn(text: string, { inputSchema: { properties = {} } }: ToolShown): Record<string, Value> {
  const named: Record<string, Value> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const value = new RegExp(String.raw`\b${name} ([\w-]+)`).exec(text)?.[1]
    if (value === undefined) continue
    const isChoice = schema.enum?.includes(value) ?? false
    const isId = schema.enum === undefined && /[_-]\w*\d/.test(value)
    if (isChoice || isId) named[name] = value
  }
  return named
}

function pageIn(text: string, tools: readonly ToolShown[]): Step["page"] {
  const found = /, or have the user pay at (\w+)(?: and call (\w+))?/.exec(text)
  if (found === null) return null
  const [, field = "", name] = found
  return { field, tool: tools.find((one) => one.name === name) ?? null }
}

function waitIn(text: string): number {
  const seconds = /\b(?:in|after) (\d+) seconds\b/.exec(text)?.[1]
  if (seconds !== undefined) return Number(seconds) * SECOND_MS
  return /\bin a few minutes\b/.test(text) ? MINUTES_FEW_MS : 0
}

function timeAfter(pattern: RegExp, text: string): EpochMs | null {
  const at = Date.parse((pattern.exec(text)?.[1] ?? "").replace(/[.]$/, ""))
  return Number.isNaN(at) ? null : at
}
