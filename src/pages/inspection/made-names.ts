/**
 * Names that a run made by chance: ids, nonces and secrets (`src/model/ids.ts`). Two runs with different seeds have other ones for
 * the same things, so such runs are compared by the order in which each run names them first.
 */

import type { Divergence } from "./divergence.ts"

/** Base62 ids, event ids, secrets, UUIDs, and the hexadecimal digits of nonces and hashes. */
const MADE =
  /\b([a-z]+_)(?:[0-9A-Za-z]{22}|[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{48})\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{32,64}\b/g

/** A line of a record, with its row. */
export interface RecordedLine {
  readonly row: number
  readonly text: string
}

export interface NamedDivergence {
  readonly divergence: Divergence | null
  /** The first run's names by those in the entry at which the second one parts. */
  readonly names: Readonly<Record<string, string>>
}

/** Where two runs part, apart from made names. Takes the lines of entries, in order, without marks. */
export function divergenceByOrder(
  first: Iterable<RecordedLine>,
  second: Iterable<RecordedLine>,
): NamedDivergence {
  const [one, other] = [new NamesByOrder(), new NamesByOrder()]
  const [firstLines, secondLines] = [first[Symbol.iterator](), second[Symbol.iterator]()]
  for (let shared = 0; ; shared += 1) {
    const [a, b] = [valueOf(firstLines.next()), valueOf(secondLines.next())]
    if (a === null && b === null) return { divergence: null, names: {} }
    const [left, right] = [a, b].map((line) => (line === null ? null : comparedText(line.text)))
    if (left !== null && left !== undefined && right !== null && right !== undefined)
      if (one.ordered(left) === other.ordered(right)) continue
    const divergence = { first: a?.row ?? null, second: b?.row ?? null, shared }
    return { divergence, names: namesIn(right ?? "", { one, other }) }
  }
}

/** The text with the names of the first run. */
export function withNames(text: string, names: Readonly<Record<string, string>>): string {
  return text.replaceAll(MADE, (name) => names[name] ?? name)
}

/** The group, its revision and what happened; the chain's hash and the caller's request differ anyway. */
function comparedText(line: string): string {
  const { g, r, e, states } = JSON.parse(line) as Readonly<Record<string, unknown>>
  return JSON.stringify({ g, r, ...(e === undefined ? { states } : { e }) })
}

function valueOf(next: IteratorResult<RecordedLine>): RecordedLine | null {
  return next.done === true ? null : next.value
}

function namesIn(
  text: string,
  { one, other }: { readonly one: NamesByOrder; readonly other: NamesByOrder },
): Readonly<Record<string, string>> {
  other.ordered(text)
  return Object.fromEntries(
    [...text.matchAll(MADE)].flatMap(([name]) => {
      const counterpart = one.named(other.orderOf(name))
      return counterpart === undefined ? [] : [[name, counterpart]]
    }),
  )
}

/** The names of one run, numbered for each prefix. */
class NamesByOrder {
  readonly #orders = new Map<string, string>()
  readonly #names = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  ordered(text: string): string {
    return text.replaceAll(MADE, (name, prefix: string | undefined) => this.#orderOf(name, prefix ?? ""))
  }

  orderOf(name: string): string {
    return this.#orders.get(name) ?? name
  }

  named(order: string): string | undefined {
    return this.#names.get(order)
  }

  #orderOf(name: string, prefix: string): string {
    const known = this.#orders.get(name)
    if (known !== undefined) return known
    const count = (this.#counts.get(prefix) ?? 0) + 1
    const order = `${prefix}#${count}`
    this.#counts.set(prefix, count)
    this.#orders.set(name, order)
    this.#names.set(order, name)
    return order
  }
}
