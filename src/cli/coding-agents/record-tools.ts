/** Tools over run records and exported journals: what a group did, and why something happened. */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Schema } from "effect"
import { kindOf } from "../../model/address.ts"
import { isoMs } from "../../model/values/time.ts"
import { causesOf } from "../../pages/inspection/causes.ts"
import { firstFailureIn } from "../../pages/inspection/first-failure.ts"
import { labelOfGroup } from "../../pages/inspection/group-names.ts"
import { rowText } from "../../pages/inspection/row-text.ts"
import { NONE, at } from "../../pages/inspection/run-index.ts"
import type { RunHead, RunIndex } from "../../pages/inspection/run-index.ts"
import { UsageError } from "../kit/usage-error.ts"
import { readRecord } from "../records/inspect.ts"
import { outputOf, pathIn, plainPathIn } from "./folder-tools.ts"
import { ToolFailed, tool } from "../../apps/developers/tool.ts"
import type { AgentTool } from "../../apps/developers/tool.ts"

/** A model reads all of it. */
const ROWS_MAX = 300

const Record = Schema.String.annotations({
  description: "A record below the folder, such as an exported journal; or a scenario, which is run for it.",
})
const Run = Schema.optional(
  Schema.Int.pipe(Schema.positive()).annotations({
    description: "Which run of the record, from 1; 1 if absent.",
  }),
)

export function recordTools(folder: string): readonly AgentTool[] {
  const open = async (record: string, run = 1): Promise<OpenedRun> => {
    const runs = await runsIn(folder, pathIn(folder, record))
    const found = runs[run - 1]
    if (found === undefined) throw new ToolFailed(`the record has ${runs.length} runs`)
    return found
  }
  return [
    tool({
      name: "explain_group",
      title: "Explain a group",
      description:
        "What a reservation, delivery or other group of a record did, entry by entry. Without a group, the groups of the record.",
      schema: Schema.Struct({
        record: Record,
        run: Run,
        group: Schema.optional(
          Schema.String.annotations({
            description:
              "Its name in the scenario, its kind if there is one of it, its address, or the end of its id.",
          }),
        ),
      }),
      run: async ({ record, run, group }) => {
        const opened = await open(record, run)
        return group === undefined ? groupsText(opened) : groupText(opened, group)
      },
    }),
    tool({
      name: "why",
      title: "Why something happened",
      description:
        "The causes of an entry, from what came from outside. Without an entry: of the first expectation that failed, else of the last exception or refusal.",
      schema: Schema.Struct({
        record: Record,
        run: Run,
        entry: Schema.optional(
          Schema.Int.annotations({ description: "The number at the start of a line of explain_group." }),
        ),
      }),
      run: async ({ record, run, entry }) => {
        const opened = await open(record, run)
        const row = entry === undefined ? troubleOf(opened.index) : opened.index.s.indexOf(entry)
        if (row === NONE)
          throw new ToolFailed(
            entry === undefined
              ? "nothing failed in this run, and nothing was refused"
              : `there is no entry ${entry}`,
          )
        return chainOf(opened.index, row)
          .map((one) => rowLine(opened, one, { hasGroup: true }))
          .join("\n")
      },
    }),
  ]
}

/** From outside to the row. A failed expectation has no cause: it follows what happened last before it. */
function chainOf(index: RunIndex, row: number): readonly number[] {
  if (at(index.group, row) !== NONE) return causesOf(index, row).toReversed()
  const before = index.group.findLastIndex((group, one) => one < row && group !== NONE)
  return before === NONE ? [row] : [...causesOf(index, before).toReversed(), row]
}

async function runsIn(folder: string, path: string): Promise<readonly OpenedRun[]> {
  if (path.endsWith(".ndjson")) return recordAt(join(folder, path))
  plainPathIn(folder, path)
  const own = mkdtempSync(join(tmpdir(), "curbline-"))
  try {
    const record = join(own, "run.ndjson")
    await outputOf(["run", path, "--record", record], folder)
    return recordAt(record)
  } finally {
    rmSync(own, { recursive: true })
  }
}

function recordAt(file: string): readonly OpenedRun[] {
  try {
    return readRecord(file)
  } catch (cause) {
    throw cause instanceof UsageError ? new ToolFailed(cause.message) : cause
  }
}

interface OpenedRun {
  readonly head: RunHead
  readonly index: RunIndex
}

/** `17 2026-03-02T17:30:00.000Z visit: timer …`. */
function rowLine(
  { head, index }: OpenedRun,
  row: number,
  { hasGroup }: { readonly hasGroup: boolean },
): string {
  const mark = index.marks.find((one) => one.row === row)
  const of = hasGroup && mark === undefined ? `${nameIn(index, at(index.group, row))}: ` : ""
  return `${at(index.s, row)} ${isoMs(head.clock0Ms + at(index.t, row))} ${of}${rowText(index, row, mark)}`
}

function nameIn(index: RunIndex, group: number): string {
  const address = index.groups[group] ?? ""
  const label = labelOfGroup(index, group)
  return label === null ? address : `${label} (${address})`
}

function groupsText({ index }: OpenedRun): string {
  const counts = Map.groupBy(index.group, (group) => group)
  return index.groups
    .map((_, group) => `${nameIn(index, group)}: ${counts.get(group)?.length ?? 0} entries`)
    .join("\n")
}

function groupText(opened: OpenedRun, wanted: string): string {
  const { index } = opened
  const found = index.groups.flatMap((address, group) =>
    address === wanted ||
    kindOf(address) === wanted ||
    address.endsWith(wanted) ||
    index.nameOfGroup[group] === wanted
      ? [group]
      : [],
  )
  const [group] = found
  if (group === undefined || found.length > 1)
    throw new ToolFailed(
      group === undefined
        ? `the record has no group ${wanted}; without a group this tool lists them`
        : `${found.length} groups are meant: ${found.map((one) => index.groups[one]).join(", ")}`,
    )
  const rows = [...index.group.keys()].filter((row) => at(index.group, row) === group)
  const lines = rows.slice(0, ROWS_MAX).map((row) => rowLine(opened, row, { hasGroup: false }))
  return [
    nameIn(index, group),
    ...lines,
    ...(rows.length > ROWS_MAX ? [`and ${rows.length - ROWS_MAX} more`] : []),
  ].join("\n")
}

/** The row that a person would ask about; NONE where nothing went wrong. */
function troubleOf(index: RunIndex): number {
  const failed = firstFailureIn([index])
  if (failed !== null) return failed.row
  const exception = index.published.findLast(([, , word]) => (index.words[word] ?? "").endsWith(".exception"))
  return exception?.[0] ?? index.refused.findLastIndex((code) => code !== NONE)
}
