/** The names that steps give with `as`, in the order in which they are given. */

import type { NamedKind } from "./language.ts"
import { nearest } from "./problems.ts"
import type { Report } from "./problems.ts"
import type { Written, WrittenScalar } from "./source.ts"

export interface NameBook {
  /** Adds a name. */
  readonly give: (kind: NamedKind, value: Written) => string | undefined
  /** A name that was given before; otherwise undefined, which is reported. `words` could stand there too. */
  readonly lookUp: (
    kinds: readonly NamedKind[],
    value: WrittenScalar,
    words?: readonly string[],
  ) => string | undefined
}

/** `a reservation or delivery`, `an errand`. */
export function kindWords(kinds: readonly NamedKind[]): string {
  const words = kinds.join(" or ")
  return `${/^[aeiou]/.test(words) ? "an" : "a"} ${words}`
}

/** Where a scenario names the kinds that are there before the first step. */
const UNDER_GIVEN: { readonly [kind in NamedKind]?: "always" | "also" } = {
  caller: "also",
  person: "always",
  site: "always",
  vehicle: "always",
  webhook: "also",
}

/** `under given`, or `in an earlier step`; in a what-if file, `under names`. */
function whereNamed(kinds: readonly NamedKind[], hasJournal: boolean): string {
  if (hasJournal) return "under names or in an earlier step"
  const places = kinds.map((kind) => UNDER_GIVEN[kind])
  if (places.every((place) => place === "always")) return "under given"
  return places.includes("also") ? "under given or in an earlier step" : "in an earlier step"
}

/** Groups of a journal that a what-if file names. */
const ADDRESSES: { readonly [kind in NamedKind]?: string } = {
  delivery: "delivery/dlv_…",
  errand: "courier-order/dlv_…",
  reservation: "reservation/res_…",
  webhook: "webhook-endpoint/whk_…",
}

/** How something of these kinds gets its first name. */
function namingHelp(kinds: readonly NamedKind[], name: string, hasJournal: boolean): string | undefined {
  const [kind] = kinds
  if (hasJournal) {
    const address = kind === undefined ? undefined : ADDRESSES[kind]
    return address === undefined ? undefined : `name the group of the journal: names: { ${name}: ${address} }`
  }
  if (kind === "webhook")
    return `add { as: ${name}, events: all } to given: webhooks, or to pickup_webhooks for deliveries`
  if (kind === "vehicle") return `add { as: ${name} } to given: vehicles`
  const isMade = kind === "reservation" || kind === "delivery" || kind === "errand"
  return isMade ? `the step that makes it names it: as: ${name}` : undefined
}

export const NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/**
 * An empty book. `later` has the lines of all names of the scenario, to distinguish a name that is given later from an
 * unknown one. `hasJournal`: the names are those of a what-if file, in which groups of a journal have names.
 */
export function openNameBook(
  later: ReadonlyMap<string, number>,
  report: Report,
  hasJournal = false,
): NameBook {
  const given = new Map<string, { readonly kind: NamedKind; readonly line: number }>()
  return {
    give: (kind, value) => {
      const name = value.type === "scalar" && typeof value.value === "string" ? value.value : null
      if (name === null || !NAME_PATTERN.test(name)) {
        report(value.span, `${name === null ? "this" : JSON.stringify(name)} is not a name`, {
          expected: "a letter, then letters, digits, - or _, such as lunch",
        })
        return undefined
      }
      const earlier = given.get(name)
      if (earlier !== undefined) {
        report(value.span, `the name ${JSON.stringify(name)} is taken`, {
          expected: "another name",
          help: `line ${earlier.line} gave it to ${kindWords([earlier.kind])}`,
        })
        return undefined
      }
      given.set(name, { kind, line: value.span.place.line })
      return name
    },
    lookUp: (kinds, value, words = []) => {
      const earlier = given.get(value.text)
      if (earlier !== undefined && kinds.includes(earlier.kind)) return value.text
      const names = [...given].filter(([, entry]) => kinds.includes(entry.kind)).map(([name]) => name)
      const known = `${kindWords(kinds)} named ${whereNamed(kinds, hasJournal)}: ${names.length === 0 ? "there is none" : names.join(", ")}`
      const expected = [...words, known].join(", or ")
      const name = JSON.stringify(value.text)
      const laterLine = later.get(value.text)
      const suggestion = nearest(value.text, [...words, ...names])
      const help = NAME_PATTERN.test(value.text) ? namingHelp(kinds, value.text, hasJournal) : undefined
      if (earlier !== undefined)
        report(value.span, `${name} is ${kindWords([earlier.kind])}, not ${kindWords(kinds)}`, { expected })
      else if (laterLine !== undefined && laterLine < value.span.place.line)
        report(
          value.span,
          hasJournal
            ? `the group named ${name} has a mistake, in line ${laterLine}`
            : `the step that names ${name} has a mistake, in line ${laterLine}`,
        )
      else if (laterLine !== undefined)
        report(value.span, `${name} is named only later, in line ${laterLine}`, { expected })
      else
        report(
          value.span,
          `nothing is named ${name}`,
          suggestion === undefined
            ? { expected, ...(help === undefined ? {} : { help }) }
            : { expected, suggestion },
        )
      return undefined
    },
  }
}
