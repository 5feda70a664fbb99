/** Changes of a fleet model: what may be changed from an instant on, a change in words, and a model's text with further changes. */

export const CHANGE_GROUPS = ["People", "Vehicles", "Demand", "Policy", "Faults"] as const
export type ChangeGroup = (typeof CHANGE_GROUPS)[number]

/** A setting and its value, as a change of a model has them: `runners at north` and `+1`. */
export interface WrittenChange {
  readonly name: string
  readonly value: string
}

/** What may be changed, and how. */
export interface ChangeOffer {
  readonly group: ChangeGroup
  /** The key of the change: `runners at north`; of a breakdown without the vehicle, `breakdown of`. */
  readonly name: string
  /** In words: `Runners at north`. */
  readonly label: string
  readonly form:
    | { readonly is: "count"; readonly least: number; readonly most: number }
    | { readonly is: "factor"; readonly most: number }
    | { readonly is: "share" }
    | { readonly is: "word"; readonly words: readonly string[] }
    | { readonly is: "breakdown"; readonly vehicles: readonly string[] }
  /** What holds in the model from each instant on, ascending; empty for a breakdown. */
  readonly today: readonly HeldValue[]
}

interface HeldValue {
  /** From the start of the run. */
  readonly fromMs: number
  /** A count by itself; else as a change would write it. */
  readonly value: string
  /** More than the value, such as `24 orders an hour`; empty without more. */
  readonly says: string
}

export function heldAt(today: ChangeOffer["today"], ms: number): HeldValue | null {
  return today.findLast(({ fromMs }) => fromMs <= ms) ?? null
}

/** `1 more runner at north`, `1.5 times the demand of office`. */
export function changeWords({ name, value }: WrittenChange): string {
  const [, base = name, , part = null] = /^(\S+) (at|of) (\S.*)$/.exec(name) ?? []
  const amount = Number.parseFloat(value)
  const isAmount = ["runners", "vehicles", "cooks", "demand", "breakdowns"].includes(base)
  if (isAmount && Number.isNaN(amount)) return `${plain(name)} ${value}`
  switch (base) {
    case "runners":
    case "vehicles":
    case "cooks": {
      const count = Math.abs(amount)
      const noun = count === 1 ? base.slice(0, -1) : base
      const kitchens = base === "cooks" ? " in each kitchen" : ""
      const where = part === null ? " at every site" : ` at ${part}`
      return `${count} ${amount < 0 ? "fewer" : "more"} ${noun}${kitchens}${where}`
    }
    case "demand": {
      const times = amount === 0 ? "no new orders" : `${amount} times the demand`
      return part === null ? times : `${times} of ${part}`
    }
    case "dispatch":
      return `runners take tasks by ${plain(value)}`
    case "vehicle_dispatch":
      return `vehicles are chosen by ${plain(value)}`
    case "open_link_fails":
      return `${value} of open links fail`
    case "payload_too_heavy":
      return `${value} of orders are too heavy`
    case "breakdowns":
      return amount === 0 ? "no breakdowns" : `${amount} times the breakdowns`
    case "breakdown":
      return `${part} breaks down for ${value}`
    default:
      return `${plain(name)} ${value}`
  }
}

function plain(word: string): string {
  return word.replaceAll("_", " ")
}

export interface TimedChange extends WrittenChange {
  /** As the model writes it: `12:40`, or `2026-03-02T12:40`. */
  readonly at: string
}

/**
 * The model with these changes besides its own: in the list that it has, or in one at its end. Everything else stays where it is.
 */
export function textWithChanges(text: string, changes: readonly TimedChange[]): string {
  if (changes.length === 0) return text
  const items = changes.map(
    ({ at, name, value }) => `{ at: ${scalar(at)}, ${scalar(name)}: ${scalar(value)} }`,
  )
  const lines = text.split("\n")
  const key = lines.findIndex((line) => /^changes\s*:/.test(line))
  if (key === -1) {
    const end = text.endsWith("\n") ? "" : "\n"
    return `${text}${end}changes:\n${items.map((item) => `  - ${item}\n`).join("")}`
  }
  return withItems(lines, key, items).join("\n")
}

/** A list in brackets begins on the line of its key or below it, and so does one of dashes. */
function withItems(lines: readonly string[], key: number, items: readonly string[]): readonly string[] {
  const below = lines.findIndex((line, at) => at > key && !/^\s*(#.*)?$/.test(line))
  const isOnKey = /^changes\s*:\s*[^\s#]/.test(lines[key] ?? "")
  const first = isOnKey ? key : below
  const line = lines[first] ?? ""
  const bracket = line.indexOf("[")
  if (isOnKey || /^\s*\[/.test(line))
    return lines.with(first, `${line.slice(0, bracket + 1)}${items.join(", ")}, ${line.slice(bracket + 1)}`)
  const indent = /^\s*/.exec(line)?.[0] ?? ""
  return lines.toSpliced(first, 0, ...items.map((item) => `${indent}- ${item}`))
}

/** Plain where YAML reads it as the same text in braces, else in quotes. */
function scalar(text: string): string {
  return /^[\w+.%:-][\w+.%: -]*$/.test(text) && !/: |:$| $|^[-?:] |^[:%-]\D/.test(text)
    ? text
    : JSON.stringify(text)
}
