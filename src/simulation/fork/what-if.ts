/**
 * Reads a what-if file: steps of the scenario language that replace what happened after a moment of a journal. Names in
 * it stand for groups of the journal.
 */

import { SEED_MAX, STEPS_MAX } from "../../model/values/limits.ts"
import { ENVIRONMENTS } from "../../model/caller.ts"
import type { Environment } from "../../model/caller.ts"
import { idOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { wallClockAt } from "../../model/values/local-time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { asList, readKeys } from "../scenario/language/keys.ts"
import type { Entries } from "../scenario/language/keys.ts"
import type { NamedKind, Step } from "../scenario/language/language.ts"
import { openNameBook } from "../scenario/language/name-book.ts"
import type { NameBook } from "../scenario/language/name-book.ts"
import { inFileOrder, nearest } from "../scenario/language/problems.ts"
import type { Problem, Report } from "../scenario/language/problems.ts"
import type { ScenarioNames } from "../scenario/language/read.ts"
import {
  named,
  oneOf,
  optional,
  readValues,
  required,
  saying,
  sentence,
  whole,
} from "../scenario/language/shapes.ts"
import { parseSource, reporter } from "../scenario/language/source.ts"
import type { Source, Written, WrittenEntry, WrittenMap } from "../scenario/language/source.ts"
import { readStep } from "../scenario/language/step.ts"
import type { StepContext } from "../scenario/language/step.ts"
import { startTimeline } from "../scenario/language/timeline.ts"

/** Whether commands that the journal has after the moment come again, beside the steps of the file. */
export const COMMANDS_AFTER = ["recorded", "none"] as const

export interface WhatIf {
  readonly title: string
  /** The group of each name. */
  readonly groupByName: ReadonlyMap<string, GroupAddress>
  readonly environment: Environment
  readonly seed: number
  readonly commands: (typeof COMMANDS_AFTER)[number]
  readonly steps: readonly Step[]
  readonly file: string
}

/** What a file may refer to: the moment, and the groups that exist then. */
export interface ForkPoint {
  readonly atMs: EpochMs
  readonly timeZone: string
  readonly groups: readonly GroupAddress[]
}

const KEYS = {
  what_if: required("what is different, in a sentence", sentence("what is different, in a sentence")),
  because: optional("why it matters, in a sentence", sentence("why it matters, in a sentence"), null),
  environment: optional(
    "which of the service's two worlds the journal is of",
    saying(oneOf(ENVIRONMENTS), { default: "production" }),
    "production" as const,
  ),
  seed: optional(
    "where chance begins",
    saying(whole("a seed", { min: 0, max: SEED_MAX }), { default: 1 }),
    1,
  ),
  commands: optional(
    "whether commands that the journal has later come again",
    saying(oneOf(COMMANDS_AFTER), { default: "recorded" }),
    "recorded" as const,
  ),
  names: optional(
    "names of groups of the journal, such as { lunch: reservation/res_… }",
    named("names with the address of a group, or its id", sentence("the address of a group, or its id")),
    new Map<string, string>(),
  ),
}

const WHAT_IF_KEYS = [...Object.keys(KEYS), "steps"] as const

/** What a step can name, by the kind of its group. */
const NAMED_KIND: Readonly<Record<string, NamedKind>> = {
  reservation: "reservation",
  delivery: "delivery",
  "courier-order": "errand",
  "webhook-endpoint": "webhook",
}

/** True for the text of a what-if file. */
/** Without a point, names and times are not compared with a journal. */
export function readWhatIf(
  source: Source,
  { names, point }: { readonly names: ScenarioNames; readonly point: ForkPoint | null },
): { readonly whatIf: WhatIf | null; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const report = reporter(problems)
  const root = parseSource(source, report)
  const whatIf = root === null ? null : readRoot(root, { file: source.file, names, point, report })
  return { whatIf: problems.length === 0 ? whatIf : null, problems: inFileOrder(problems) }
}

interface Reading {
  readonly file: string
  readonly names: ScenarioNames
  readonly point: ForkPoint | null
  readonly report: Report
}

function readRoot(root: WrittenMap, reading: Reading): WhatIf | null {
  const { file, names, point, report } = reading
  const keys = readKeys(
    root,
    { of: "keys of a what-if file", known: WHAT_IF_KEYS, required: ["what_if", "steps"] },
    report,
  )
  const head = readValues(KEYS, keys, report)
  const items = readStepList(keys.get("steps")?.value, report)
  const written = namesIn(keys)
  const lines = new Map(written.map(({ key, keySpan }) => [key, keySpan.place.line]))
  const nameBook = openNameBook(lines, report, true)
  const groupByName = readNames(written, { nameBook, reading })
  const context: StepContext = {
    report,
    nameBook,
    timeline:
      point === null
        ? null
        : startTimeline(
            {
              wallMs: wallClockAt(point.atMs, point.timeZone),
              timeZone: point.timeZone,
              before: "the moment of the fork",
            },
            report,
          ),
    statePaths: names.statePaths,
  }
  const steps = items.flatMap((item) => readStep(item, context) ?? [])
  if (head === undefined) return null
  const { what_if: title, environment, seed, commands } = head
  return { title, groupByName, environment, seed, commands, steps, file }
}

interface Naming {
  readonly nameBook: NameBook
  readonly reading: Reading
}

/** Also those of a file whose title has a mistake: its steps are no mistakes for that. */
function namesIn(keys: Entries): readonly WrittenEntry[] {
  const map = keys.get("names")?.value
  return map?.type === "map" ? map.entries : []
}

/** The written names, and each vehicle by its own: `van` for `vehicle/veh_van`. */
function readNames(
  written: readonly WrittenEntry[],
  { nameBook, reading }: Naming,
): ReadonlyMap<string, GroupAddress> {
  const { point, report } = reading
  const found = new Map<string, GroupAddress>()
  for (const entry of written) {
    const { value } = entry
    const isText = value.type === "scalar" && typeof value.value === "string" && value.text.trim() !== ""
    const group = isText ? groupNamed(value.text.trim(), value, reading) : null
    if (group === null) continue
    const kind = NAMED_KIND[kindOf(group)]
    if (kind === undefined) {
      report(entry.value.span, `steps cannot name ${group}`, {
        expected: `a group of ${Object.keys(NAMED_KIND).join(", ")}`,
      })
      continue
    }
    const key = { type: "scalar", value: entry.key, text: entry.key, span: entry.keySpan } as const
    if (nameBook.give(kind, key) !== undefined) found.set(entry.key, group)
  }
  const nowhere = { line: "", start: 0, length: 0, place: { file: reading.file, line: 1, column: 1 } }
  for (const group of point?.groups ?? []) {
    const name = kindOf(group) === "vehicle" ? /^veh_([A-Za-z][\w-]*)$/.exec(idOf(group))?.[1] : undefined
    if (name === undefined || found.has(name)) continue
    nameBook.give("vehicle", { type: "scalar", value: name, text: name, span: nowhere })
  }
  return found
}

/** A whole address, a whole id, or the end of an id if only one group has it. */
function groupNamed(text: string, value: Written, { point, report }: Reading): GroupAddress | null {
  if (point === null) return text.includes("/") ? text : `reservation/${text}`
  const { groups } = point
  const fits = groups.filter(
    (group) => group === text || idOf(group) === text || (text.length >= 4 && idOf(group).endsWith(text)),
  )
  const [only] = fits
  if (only !== undefined && fits.length === 1) return only
  if (fits.includes(text)) return text
  const ids = groups.filter((group) => kindOf(group) in NAMED_KIND)
  const suggestion = nearest(text, ids)
  report(
    value.span,
    fits.length === 0
      ? `the journal has no group ${JSON.stringify(text)} at this moment`
      : `${fits.length} groups have the id ${JSON.stringify(text)}`,
    {
      expected: `an address such as ${(fits.length > 0 ? fits : ids).slice(0, 6).join(", ") || "reservation/res_…"}`,
      ...(suggestion === undefined ? {} : { suggestion }),
    },
  )
  return null
}

function readStepList(value: Written | undefined, report: Report): readonly Written[] {
  const list = value === undefined ? null : asList(value, "a list of steps", report)
  if (list === null) return []
  if (list.items.length <= STEPS_MAX) return list.items
  report(list.span, `${list.items.length} steps`, { expected: `at most ${STEPS_MAX} steps` })
  return []
}
