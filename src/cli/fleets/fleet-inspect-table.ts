/** `curbline fleet inspect-table`: the columns of a table of orders, and a demand that replays it. */

import { writeFileSync } from "node:fs"
import { basename } from "node:path"
import type { InspectedTable } from "../../model/replay/inspected-table.ts"
import { inspectTable } from "../../simulation/fleet/tables/inspection.ts"
import { readTable } from "../../simulation/fleet/tables/read-table.ts"
import type { Table } from "../../simulation/fleet/tables/table.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { assertNew, assertOutputs } from "../kit/outputs.ts"
import { faultMessage, out } from "../kit/terminal.ts"
import { tableOf } from "../kit/text-table.ts"
import { UsageError } from "../kit/usage-error.ts"
import { tableBytesAt } from "./fleet-files.ts"

export interface InspectTableFlags {
  readonly json?: boolean
  readonly out?: string
}

/** The demand goes into the file of `--out`, or to stdout behind the columns. */
export async function fleetInspectTableCommand(file: string, flags: InspectTableFlags): Promise<ExitStatus> {
  assertOutputs({ "--out": flags.out }, { what: "table", inputs: [file] })
  if (flags.out !== undefined) assertNew(flags.out)
  const inspection = inspectTable(await tableAt(file), "SITE")
  if (flags.out !== undefined) {
    try {
      writeFileSync(flags.out, inspection.demand)
    } catch (cause) {
      throw new UsageError(`the demand ${flags.out} cannot be written: ${faultMessage(cause)}`)
    }
  }
  if (flags.json === true) {
    out(JSON.stringify(inspection, null, 2))
    return EXIT.passed
  }
  for (const line of linesOf(inspection)) out(line)
  if (flags.out === undefined) out(`\n${inspection.demand}`)
  return EXIT.passed
}

/** Throws a UsageError for a file that is no table. */
export async function tableAt(file: string): Promise<Table> {
  const bytes = tableBytesAt(file)
  if (bytes === null) throw new UsageError(`there is no file ${file}`)
  const table = "fault" in bytes ? bytes : await readTable(basename(file), bytes)
  if ("fault" in table) throw new UsageError(`${file} ${table.fault}`)
  return table
}

const BAR = 40

function linesOf({ file, form, rows, columns, rowsByHour }: InspectedTable): readonly string[] {
  const most = Math.max(1, ...(rowsByHour ?? []))
  return [
    `${file}: ${form.join("; ")}; ${rows} rows`,
    "",
    tableOf(
      columns.map(({ number, name, kind, timeForm, filled, distinct, examples, guess }) => ({
        column: number,
        name,
        type: timeForm ?? kind,
        filled: `${Math.floor(filled * 100)}%`,
        values: distinct,
        examples: examples.map(shortened).join(", "),
        may_be: guess ?? "",
      })),
      ["column", "name", "type", "filled", "values", "examples", "may_be"],
    ),
    ...(rowsByHour === null ? [] : ["", "rows by hour of day"]),
    ...(rowsByHour ?? []).flatMap((count, hour) =>
      count === 0
        ? []
        : [`${String(hour).padStart(2, "0")}:00  ${"█".repeat(Math.ceil((count / most) * BAR))} ${count}`],
    ),
  ]
}

const SHOWN = 24

function shortened(cell: string): string {
  return cell.length > SHOWN ? `${cell.slice(0, SHOWN - 1)}…` : cell
}
