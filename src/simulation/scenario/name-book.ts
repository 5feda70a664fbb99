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

/** `reservation or delivery`. */
export function kindWords(kinds: readonly NamedKind[]): string {
  return kinds.join(" or ")
}

export const NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/**
 * An empty book. `later` has the lines of all names of the scenario, to distinguish a name that is given later from an
 * unknown one.
 */
export function openNameBook(later: ReadonlyMap<string, number>, report: Report): NameBook {
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
          help: `line ${earlier.line} gave it to a ${earlier.kind}`,
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
      const where = kinds.every((kind) => kind === "site") ? "under given" : "in an earlier step"
      const known = `a ${kindWords(kinds)} named ${where}: ${names.length === 0 ? "there is none" : names.join(", ")}`
      const expected = [...words, known].join(", or ")
      const name = JSON.stringify(value.text)
      const laterLine = later.get(value.text)
      const suggestion = nearest(value.text, [...words, ...names])
      if (earlier !== undefined)
        report(value.span, `${name} is a ${earlier.kind}, not a ${kindWords(kinds)}`, { expected })
      else if (laterLine !== undefined)
        report(value.span, `${name} is named only later, in line ${laterLine}`, { expected })
      else
        report(
          value.span,
          `nothing is named ${name}`,
          suggestion === undefined ? { expected } : { expected, suggestion },
        )
      return undefined
    },
  }
}
