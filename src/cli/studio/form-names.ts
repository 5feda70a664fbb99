/** The names that a file gives, with the first step that may refer to each, as the reader of the language finds them. */

import { openFragmentFile } from "../scenarios/fragment-files.ts"
import { withFragments } from "../../simulation/scenario/language/fragments.ts"
import { COMMANDS, placeIn } from "../../simulation/scenario/language/language.ts"
import type { CommandWord, NamedKind } from "../../simulation/scenario/language/language.ts"
import { withRepeats } from "../../simulation/scenario/language/repeat.ts"
import { reporter } from "../../simulation/scenario/language/source.ts"
import type { Written, WrittenMap } from "../../simulation/scenario/language/source.ts"
import { NAME_PATTERN } from "../../simulation/scenario/language/name-book.ts"
import type { FormName } from "../../pages/web/studio/form/form-contract.ts"

/** The lists of `given` whose items have names. */
export const GIVEN_KINDS = {
  webhooks: "webhook",
  pickup_webhooks: "webhook",
  vehicles: "vehicle",
  sites: "site",
  runners: "person",
  operators: "person",
  partners: "caller",
  keys: "caller",
} as const satisfies { readonly [list: string]: NamedKind }

export function namesOf(file: string, root: WrittenMap, steps: readonly Written[]): readonly FormName[] {
  return [...givenNames(valueOf(root, "given")), ...stepNames(file, root, steps)].filter(({ name }) =>
    NAME_PATTERN.test(name),
  )
}

/** The names of one kind that a step may refer to. */
export type Known = (kind: NamedKind) => readonly string[]

export function knownBefore(names: readonly FormName[], at: number): Known {
  return (kind) => names.filter((one) => one.kind === kind && one.from <= at).map(({ name }) => name)
}

function valueOf(map: Written | undefined, key: string): Written | undefined {
  return map?.type === "map" ? map.entries.find((entry) => entry.key === key)?.value : undefined
}

function textOf(value: Written | undefined): string | null {
  return value?.type === "scalar" ? value.text : null
}

function givenNames(given: Written | undefined): readonly FormName[] {
  return Object.entries(GIVEN_KINDS).flatMap(([list, kind]) => {
    const items = valueOf(given, list)
    return items?.type === "list" ? items.items.flatMap((item) => nameIn(item, kind, 0)) : []
  })
}

function nameIn(item: Written, kind: string | null, from: number): readonly FormName[] {
  const name = textOf(valueOf(item, "as"))
  return name === null || kind === null ? [] : [{ name, kind, from }]
}

/** Steps of fragments count as the step that uses them. */
function stepNames(file: string, root: WrittenMap, steps: readonly Written[]): readonly FormName[] {
  const report = reporter([])
  const all = withFragments(steps, valueOf(root, "uses"), { file, open: openFragmentFile, report })
  const at = new Map(steps.map(({ span: { place } }, index) => [`${place.line} ${place.column}`, index]))
  return withRepeats(all, report).flatMap((step) => {
    const place = placeIn(file, step.span.place)
    const index = at.get(`${place?.line} ${place?.column}`)
    const refused = valueOf(step, "refuse")
    const command = textOf(valueOf(refused ?? step, "do")) ?? ""
    const word: CommandWord | undefined = Object.hasOwn(COMMANDS, command)
      ? COMMANDS[command as keyof typeof COMMANDS]
      : undefined
    return index === undefined ? [] : nameIn(refused ?? step, word?.as ?? null, index + 1)
  })
}
