/**
 * Fragments: steps that several scenarios share, in a file of their own. A scenario names the files (`uses`), and a step
 * `{ use: NAME, with: {…} }` stands for the steps of the fragment, with its values in place of the fragment's `$parameters`.
 * Everything is filled in before names and times are read, so a mistake in a fragment points to the fragment's line.
 */

import {
  FRAGMENT_DEPTH_MAX,
  FRAGMENT_FILES_MAX,
  FRAGMENT_PARAMETERS_MAX,
  STEPS_MAX,
} from "../../../model/values/limits.ts"
import type { Place } from "./language.ts"
import { asList, asMap, asText, readKeys } from "./keys.ts"
import { VARIABLE_PATTERN } from "./matrix.ts"
import { NAME_PATTERN } from "./name-book.ts"
import { adviceFor, nearest, shown } from "./problems.ts"
import type { Report, Span } from "./problems.ts"
import { parseSource } from "./source.ts"
import type { Source, Written, WrittenEntry, WrittenList, WrittenMap } from "./source.ts"

/** Opens the file of fragments that another file names, or says why not. */
export type OpenFragments = (
  from: string,
  path: string,
) => { readonly source: Source } | { readonly refused: string }

/** What the key `use` of a step does. */
export const USE_MEANING = "the steps of a fragment, with values for its parameters"

export const USE_KEYS = ["use", "at", "with"] as const

/** The meanings of the keys of a file of fragments and of a fragment. */
export const FRAGMENT_KEYS = {
  fragments: "the fragments by name",
  uses: "other files of fragments, whose fragments its steps may use",
} as const

export const FRAGMENT_PARTS = {
  says: "what its steps do, in a sentence",
  with: "the names of its parameters, which its steps write as $name",
  steps: "its steps",
} as const

const FILES = "files of fragments, such as [fragments/runner.yaml]"
const ONE = "a fragment such as { says: …, with: [order], steps: […] }"
const USE = "{ use: to_the_bot, with: { order: lunch } }"

export interface Fragment {
  readonly name: string
  readonly parameters: readonly string[]
  readonly steps: readonly Written[]
  /** The file's own fragments and those of the files that it uses. */
  readonly known: Known
}

type Known = Map<string, Fragment>

interface Opening {
  readonly open: OpenFragments | null
  readonly report: Report
  /** Files that are read already, and those whose reading led here. */
  readonly read: Map<string, Known>
  readonly under: readonly string[]
}

/** The steps, each `use` replaced by the steps of its fragment. */
export function withFragments(
  items: readonly Written[],
  uses: Written | undefined,
  {
    file,
    open,
    report,
  }: { readonly file: string; readonly open: OpenFragments | null; readonly report: Report },
): readonly Written[] {
  const known: Known = new Map()
  addFiles(known, uses, { from: file, opening: { open, report, read: new Map(), under: [file] } })
  const budget = { report, left: STEPS_MAX }
  return items.flatMap((item) => expanded(item, known, { budget, under: [] }))
}

/** The fragments that the steps of a file may use. */
export function usableFragments(
  uses: Written | undefined,
  { file, open, report }: { readonly file: string; readonly open: OpenFragments; readonly report: Report },
): readonly Pick<Fragment, "name" | "parameters">[] {
  const known: Known = new Map()
  addFiles(known, uses, { from: file, opening: { open, report, read: new Map(), under: [file] } })
  return [...known.values()]
}

interface From {
  readonly from: string
  readonly opening: Opening
}

function addFiles(known: Known, uses: Written | undefined, { from, opening }: From): void {
  const { report } = opening
  const list = uses === undefined ? null : asList(uses, FILES, report)
  if (list === null) return
  if (list.items.length > FRAGMENT_FILES_MAX) {
    report(list.span, `${list.items.length} files`, { expected: `at most ${FRAGMENT_FILES_MAX}` })
    return
  }
  for (const item of list.items) {
    const path = asText(item, FILES, report)
    if (path === null) continue
    for (const [name, fragment] of fragmentsOf({ path, span: item.span }, { from, opening })) {
      if (known.has(name)) {
        report(item.span, `two files have a fragment ${JSON.stringify(name)}`, { help: "rename one of them" })
      } else known.set(name, fragment)
    }
  }
}

/** The fragments of one file. */
function fragmentsOf(
  { path, span }: { readonly path: string; readonly span: Span },
  { from, opening }: From,
): Known {
  const { open, report, read, under } = opening
  if (open === null) {
    report(span, "fragments cannot be read here", { help: "write the steps out" })
    return new Map()
  }
  const opened = open(from, path)
  if ("refused" in opened) {
    report(span, `${path} ${opened.refused}`, { expected: FILES })
    return new Map()
  }
  const { file } = opened.source
  if (under.includes(file)) {
    const round = [...under.slice(under.indexOf(file)), file].join(" uses ")
    report(span, `files of fragments use each other: ${round}`, {
      help: "move what both need to a third file",
    })
    return new Map()
  }
  const before = read.get(file)
  if (before !== undefined) return before
  const own: Known = new Map()
  read.set(file, own)
  const root = parseSource(opened.source, report)
  if (root !== null) readFile(root, own, { from: file, opening: { ...opening, under: [...under, file] } })
  return own
}

function readFile(root: WrittenMap, own: Known, { from, opening }: From): void {
  const { report } = opening
  const keys = readKeys(
    root,
    { of: "keys of a file of fragments", known: Object.keys(FRAGMENT_KEYS), required: ["fragments"] },
    report,
  )
  // The fragments of other files can be used here, and are not handed on.
  const known: Known = new Map()
  addFiles(known, keys.get("uses")?.value, { from, opening })
  const entry = keys.get("fragments")
  const map = entry === undefined ? null : asMap(entry.value, "fragments by name", report)
  for (const one of map?.entries ?? []) {
    const fragment = readFragment(one, known, report)
    if (fragment === null) continue
    if (known.has(one.key))
      report(one.keySpan, `a file that this one uses has a fragment ${JSON.stringify(one.key)}`)
    known.set(one.key, fragment)
    own.set(one.key, fragment)
  }
}

function readFragment({ key, keySpan, value }: WrittenEntry, known: Known, report: Report): Fragment | null {
  if (!NAME_PATTERN.test(key)) {
    report(keySpan, `${JSON.stringify(key)} is not a name`, { expected: "a name such as to_the_bot" })
    return null
  }
  const map = asMap(value, ONE, report)
  if (map === null) return null
  const keys = readKeys(
    map,
    { of: "keys of a fragment", known: Object.keys(FRAGMENT_PARTS), required: ["steps"], missingAt: keySpan },
    report,
  )
  const says = keys.get("says")
  if (says !== undefined) asText(says.value, "what its steps do", report)
  const steps = keys.get("steps")
  const list = steps === undefined ? null : asList(steps.value, "a list of steps", report)
  if (list === null) return null
  if (list.items.length === 0) report(list.span, "a fragment without steps", { expected: "one step or more" })
  return { name: key, parameters: parametersOf(keys.get("with"), report), steps: list.items, known }
}

function parametersOf(entry: WrittenEntry | undefined, report: Report): readonly string[] {
  const expected = "names of parameters, such as [order, bot]"
  const list = entry === undefined ? null : asList(entry.value, expected, report)
  if (list === null) return []
  if (list.items.length > FRAGMENT_PARAMETERS_MAX) {
    report(list.span, `${list.items.length} parameters`, { expected: `at most ${FRAGMENT_PARAMETERS_MAX}` })
    return []
  }
  return namesIn(list, expected, report)
}

function namesIn(list: WrittenList, expected: string, report: Report): readonly string[] {
  return list.items.flatMap((item) => {
    const name = asText(item, expected, report)
    if (name === null) return []
    if (VARIABLE_PATTERN.test(`$${name}`)) return [name]
    report(item.span, `${JSON.stringify(name)} cannot be a parameter`, {
      expected: "letters, digits and _, such as order",
    })
    return []
  })
}

interface Expansion {
  readonly budget: { readonly report: Report; left: number }
  /** The fragments that led here. */
  readonly under: readonly Fragment[]
}

/** The steps that an item stands for; any other step is itself. */
function expanded(item: Written, known: Known, expansion: Expansion): readonly Written[] {
  const { budget, under } = expansion
  const use = item.type === "map" ? item.entries.find(({ key }) => key === "use") : undefined
  if (item.type !== "map" || use === undefined) {
    budget.left -= 1
    return budget.left < 0 ? [] : [item]
  }
  const { report } = budget
  const keys = readKeys(item, { of: 'keys beside "use"', known: USE_KEYS }, report)
  const fragment = fragmentNamed(use.value, known, report)
  if (fragment === null) return []
  if (under.includes(fragment)) {
    const names = [...under.slice(under.indexOf(fragment)), fragment].map(({ name }) => name)
    report(use.value.span, `fragments use each other: ${names.join(" uses ")}`)
    return []
  }
  if (under.length >= FRAGMENT_DEPTH_MAX) {
    report(use.value.span, `fragments in fragments, ${under.length + 1} deep`, {
      expected: `at most ${FRAGMENT_DEPTH_MAX}`,
    })
    return []
  }
  const values = valuesOf(keys.get("with"), fragment, { span: use.keySpan, report })
  if (values === null) return []
  const substitution = { fragment, values, usedAt: item.span.place.usedAt ?? item.span.place, report }
  const steps = fragment.steps.map((step) => substituted(step, substitution))
  const first = withTime(steps, keys.get("at"), report)
  const inside = { budget, under: [...under, fragment] }
  const all = first.flatMap((step) => expanded(step, fragment.known, inside))
  if (budget.left < 0 && under.length === 0) {
    report(use.value.span, "too many steps with those of the fragments", { expected: `at most ${STEPS_MAX}` })
    budget.left = Number.POSITIVE_INFINITY
  }
  return all
}

function fragmentNamed(value: Written, known: Known, report: Report): Fragment | null {
  const name = asText(value, `the name of a fragment, as in ${USE}`, report)
  if (name === null) return null
  const fragment = known.get(name)
  if (fragment !== undefined) return fragment
  const names = [...known.keys()]
  const advice =
    names.length === 0
      ? { help: `name their file first: uses: ${FILES.split("as ")[1]}` }
      : adviceFor(name, names)
  report(value.span, `there is no fragment ${JSON.stringify(name)}`, advice)
  return null
}

/** The values of the parameters; null when one is missing or unknown. */
function valuesOf(
  entry: WrittenEntry | undefined,
  { name, parameters }: Fragment,
  { span, report }: { readonly span: Span; readonly report: Report },
): ReadonlyMap<string, Written> | null {
  const map = entry === undefined ? null : asMap(entry.value, `values of ${parameters.join(", ")}`, report)
  if (entry !== undefined && map === null) return null
  const none: WrittenMap = { type: "map", entries: [], span }
  const known = { of: `parameters of ${name}`, known: parameters, required: parameters }
  const keys = readKeys(map ?? none, { ...known, missingAt: entry?.keySpan ?? span }, report)
  if (keys.size < parameters.length || (map?.entries.length ?? 0) > keys.size) return null
  return new Map([...keys].map(([key, { value }]) => [key, value]))
}

interface Substitution {
  readonly fragment: Fragment
  readonly values: ReadonlyMap<string, Written>
  /** The step that uses the fragment. */
  readonly usedAt: Place
  readonly report: Report
}

/** The value with the parameters filled in. A value of the user keeps its own place. */
function substituted(value: Written, substitution: Substitution): Written {
  const here = (span: Span): Span => ({ ...span, place: { ...span.place, usedAt: substitution.usedAt } })
  const span = here(value.span)
  if (value.type === "list")
    return { ...value, span, items: value.items.map((item) => substituted(item, substitution)) }
  if (value.type === "map") {
    const entries = value.entries.map((entry) => ({
      ...entry,
      keySpan: here(entry.keySpan),
      value: substituted(entry.value, substitution),
    }))
    return { ...value, span, entries }
  }
  const name = typeof value.value === "string" ? VARIABLE_PATTERN.exec(value.value)?.[1] : undefined
  if (name === undefined) return { ...value, span }
  const given = substitution.values.get(name)
  if (given !== undefined) return given
  const { parameters } = substitution.fragment
  const names = parameters.map((one) => `$${one}`)
  const suggestion = nearest(name, parameters)
  substitution.report(span, `the fragment has no parameter "$${name}"`, {
    expected: names.length === 0 ? "a value; it has no parameters" : `one of ${shown(names)}`,
    ...(suggestion === undefined ? {} : { suggestion: `$${suggestion}` }),
  })
  return { ...value, span, value: null, text: "" }
}

/** The time of the use is that of the first step. */
function withTime(
  steps: readonly Written[],
  at: WrittenEntry | undefined,
  report: Report,
): readonly Written[] {
  const [first, ...rest] = steps
  if (at === undefined || first?.type !== "map") return steps
  if (first.entries.some(({ key }) => key === "at")) {
    report(at.keySpan, "the first step of the fragment has a time of its own", {
      help: "remove one of both, or make the time a parameter",
    })
    return steps
  }
  return [{ ...first, entries: [at, ...first.entries] }, ...rest]
}
