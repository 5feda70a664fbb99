/** `curbline fleet fit`: a fleet model from the journal of a run or of a site, or from a table of orders. */

import { createReadStream, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import { fitModel } from "../../simulation/fleet/fit/fit-model.ts"
import { JournalObserver } from "../../simulation/fleet/fit/observations.ts"
import type { Observations } from "../../simulation/fleet/fit/observations.ts"
import { fitLines, modelText } from "../../simulation/fleet/fit/written-model.ts"
import type { Naming } from "../../simulation/fleet/fit/written-model.ts"
import { fitReportHtml } from "../../simulation/fleet/report/fit-report.ts"
import type { Environment } from "../../model/caller.ts"
import { instantsOf, wallClockOf } from "../../model/values/local-time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { isTimeZone } from "../../model/values/time-zone.ts"
import { layerPostgres } from "../../engine/store/database.ts"
import { fleetRows, openGroups, readSiteJournal, siteNamed } from "../../engine/store/site-journal.ts"
import type { FleetRows } from "../../engine/store/site-journal.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { databaseUrl } from "./fleet-database.ts"
import type { FitTableFlags, Fitted } from "./fleet-fit-table.ts"
import { assertNew, assertOutputs } from "../kit/outputs.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err, faultMessage, out } from "../kit/terminal.ts"

export interface FitFlags extends Partial<FitTableFlags> {
  readonly journal?: string
  readonly database?: string
  readonly site?: string
  readonly environment?: Environment
  readonly from?: string
  readonly to?: string
  readonly out?: string
  readonly report?: string
}

/** The model goes to stdout or into the file; what was fitted and what is not known go to stderr. */
export async function fleetFitCommand(flags: FitFlags): Promise<ExitStatus> {
  if ([flags.journal, flags.database, flags.table].filter((from) => from !== undefined).length !== 1)
    throw new UsageError(
      "fit reads either a record, with --journal, or a database, with --database and --site, or a log of orders, with --table",
    )
  if (flags.timezone !== undefined && !isTimeZone(flags.timezone))
    throw new UsageError(`there is no time zone "${flags.timezone}"`)
  const outputs = { "--out": flags.out, "--report": flags.report }
  const inputs = [flags.journal, flags.table, flags.model].filter((file) => file !== undefined)
  assertOutputs(outputs, { what: flags.table === undefined ? "record" : "file", inputs })
  if (flags.out !== undefined) assertNew(flags.out)
  if (flags.table !== undefined) {
    const { fittedFromTable } = await import("./fleet-fit-table.ts")
    return put(await fittedFromTable({ ...flags, table: flags.table }), flags)
  }
  const read = flags.journal === undefined ? await readSite(flags) : await readRecordFile(flags.journal)
  const timeZone = flags.timezone ?? read.timeZone
  const fitted = fitModel(read.observations, {
    fromMs: instantOf("--from", flags.from, timeZone),
    toMs: instantOf("--to", flags.to, timeZone),
    timeZone,
  })
  if (fitted === null)
    throw new UsageError(
      `there is no reservation, no delivery and no errand in ${read.naming.source} in this span`,
    )
  const report = (): string => fitReportHtml(fitted, read.naming)
  return put({ text: modelText(fitted, read.naming), report, lines: fitLines(fitted) }, flags)
}

function put({ text, report, lines }: Fitted, flags: FitFlags): ExitStatus {
  if (flags.out === undefined) out(text)
  else written(flags.out, text, "model")
  if (flags.report !== undefined) written(flags.report, report(), "report")
  for (const line of lines) err(line)
  return EXIT.passed
}

/** A journal that was read, entry by entry. */
export interface ReadData {
  readonly observations: Observations
  readonly naming: Naming
  readonly timeZone: string
  /** Of open deliveries; a record has none. */
  readonly terms: FleetRows["terms"]
}

/** Line by line: a journal of a year is larger than a text may be. */
export async function readRecordFile(
  file: string,
  onEntry: (text: string) => void = () => {},
): Promise<ReadData> {
  const observer = new JournalObserver()
  let head: Readonly<Record<string, unknown>> | null = null
  try {
    let number = 0
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      number += 1
      if (line === "") continue
      const fields = lineOf(line)
      if (fields === null || (head === null && fields["k"] !== "run"))
        throw new UsageError(
          `${file} is no run record: line ${number} ${fields === null ? "is not a JSON object" : "is no header of a run"}`,
        )
      if (fields["k"] === "run") head = headOf(fields, { file, before: head })
      if (fields["k"] === "turn") {
        const text = JSON.stringify(fields["e"])
        observer.take(text)
        onEntry(text)
      }
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError(`cannot read ${file}: ${faultMessage(cause)}`)
  }
  if (head === null) throw new UsageError(`${file} is no run record: it is empty`)
  const zone = typeof head["zone"] === "string" ? head["zone"] : "UTC"
  return {
    observations: observer.seen(),
    naming: { source: file, place: null },
    timeZone: zone,
    terms: new Map(),
  }
}

function lineOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

function headOf(
  fields: Readonly<Record<string, unknown>>,
  { file, before }: { readonly file: string; readonly before: object | null },
): Readonly<Record<string, unknown>> {
  if (before !== null) throw new UsageError(`${file} holds several runs; a model is fitted from one`)
  if (fields["recording"] !== "full")
    throw new UsageError(`${file} has ${String(fields["recording"])} only; record it with --recording full`)
  return fields
}

/** `onOpen` gets the entries of groups that have not ended. */
export async function readSite(
  { database, site, environment = "production" }: Pick<FitFlags, "database" | "environment" | "site">,
  onOpen: (text: string) => void = () => {},
): Promise<ReadData> {
  if (site === undefined) throw new UsageError("--database also needs --site: the id or the name of a site")
  const observer = new JournalObserver()
  const reading = Effect.gen(function* () {
    const known = yield* siteNamed(environment, site)
    const open = yield* openGroups(environment)
    const take = (text: string, group: string): void => {
      observer.take(text)
      if (open.has(group)) onOpen(text)
    }
    if (known === null) return null
    const { fleetId } = known
    const fleet = fleetId === null ? NO_FLEET : yield* fleetRows(environment, fleetId)
    yield* readSiteJournal(environment, known, fleet, take)
    return { ...known, terms: fleet.terms }
  })
  const known = await Effect.runPromise(
    Effect.provide(reading, layerPostgres(databaseUrl(database ?? ""))),
  ).catch((cause: unknown) => {
    throw new UsageError(`the database cannot be read: ${faultMessage(cause)}`)
  })
  if (known === null) throw new UsageError(`there is no site "${site}" in ${environment}`)
  const { name, place, timezone, terms } = known
  return {
    observations: observer.seen(),
    naming: { source: name, place },
    timeZone: timezone ?? "UTC",
    terms,
  }
}

const NO_FLEET: FleetRows = { errandIds: new Set(), terms: new Map() }

function instantOf(flag: string, text: string | undefined, timeZone: string): EpochMs | null {
  if (text === undefined) return null
  const wall = wallClockOf(text.includes("T") ? text : `${text}T00:00`)
  const instant = wall === null ? undefined : instantsOf(wall, timeZone)[0]
  if (instant === undefined)
    throw new UsageError(
      `${flag} takes a local date or time such as 2026-03-02 or 2026-03-02T11:30, not "${text}"`,
    )
  return instant
}

function written(path: string, text: string, what: "model" | "report"): void {
  try {
    writeFileSync(path, text)
  } catch (cause) {
    throw new UsageError(`the ${what} ${path} cannot be written: ${faultMessage(cause)}`)
  }
}
