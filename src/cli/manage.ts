/**
 * The management commands: what each requests from the service, and how its answer is printed. Only values go to
 * stdout.
 */

import { readFileSync } from "node:fs"
import { ENVIRONMENTS, PERMISSIONS } from "../model/caller.ts"
import type { Environment } from "../model/caller.ts"
import type { ManagementRequest } from "../operations/http/management.ts"
import { LIST_PAGES_MAX, PAGE_SIZE_MAX } from "../model/limits.ts"
import { nearest } from "../simulation/scenario/problems.ts"
import { EXIT } from "./exit-codes.ts"
import type { ExitStatus } from "./exit-codes.ts"
import { openOperations } from "./open-operations.ts"
import type { OperationsPlace } from "./open-operations.ts"
import { RequestRefused } from "./operations.ts"
import type { Data, Operations } from "./operations.ts"
import { UsageError } from "./scenario-files.ts"
import { tableOf } from "./table.ts"
import { err, faultMessage, out } from "./terminal.ts"

export interface ManagementFlags extends OperationsPlace {
  readonly environment?: Environment
  readonly json?: boolean
}

/** The request of one command, with the words of its command line. */
export type Task =
  | {
      readonly type: "list"
      readonly noun: string
      readonly fields: readonly string[]
      readonly isShared?: true
      readonly requests: (
        operations: Operations,
        environment: Environment,
      ) => Promise<readonly ManagementRequest[]>
    }
  | {
      readonly type: "write"
      /** The field of the answer that has the written object. */
      readonly noun: string
      /** The field that is printed; a fresh value is printed before it. */
      readonly id: string
      /** In the past tense, for people. */
      readonly did: string
      /** True for organizations, which belong to no environment. */
      readonly isShared?: true
      /** True for ids that exist in one environment only: each environment is tried. */
      readonly looksEverywhere?: true
      /** True when the printed value is the whole answer, so no message is added. */
      readonly isValue?: true
      readonly request: ManagementRequest
    }
  | {
      readonly type: "show"
      /** The field of the answer whose fields are printed. */
      readonly noun: string
      readonly isShared: true
      readonly request: ManagementRequest
    }

/** Runs one command against the service or its database. */
export async function manageCommand(flags: ManagementFlags, task: Task): Promise<ExitStatus> {
  try {
    await manage(flags, task)
    return EXIT.passed
  } catch (cause) {
    if (!(cause instanceof RequestRefused)) throw cause
    if (cause.code === "VALIDATION_ERROR") throw new UsageError(problemsIn(cause))
    err(`error: ${cause.message}${hintFor(cause.code)}`)
    return EXIT.failed
  }
}

async function manage(flags: ManagementFlags, task: Task): Promise<void> {
  const operations = await openOperations(flags)
  try {
    const environments = environmentsOf(operations, flags, task)
    if (task.type === "list") await list({ operations, environments, flags, task })
    else if (task.type === "show") await show({ operations, environments, flags, task })
    else await write({ operations, environments, flags, task })
  } finally {
    await operations.close()
  }
}

function environmentsOf(
  { environments }: Operations,
  { environment }: ManagementFlags,
  task: Task,
): readonly Environment[] {
  if (task.isShared === true) return environments.slice(0, 1)
  if (environment !== undefined) {
    if (environments.includes(environment)) return [environment]
    throw new UsageError(`this host serves ${environments.join()}, not ${environment}`)
  }
  if (environments.length === 1 || task.type !== "write" || task.looksEverywhere === true) return environments
  throw new UsageError(
    `say in which environment: ${ENVIRONMENTS.map((one) => `--environment ${one}`).join(" or ")}`,
  )
}

interface Running<T extends Task> {
  readonly operations: Operations
  readonly environments: readonly Environment[]
  readonly flags: ManagementFlags
  readonly task: T
}

async function list(running: Running<Extract<Task, { type: "list" }>>): Promise<void> {
  const { operations, environments, flags, task } = running
  const rows: Data[] = []
  for (const environment of environments) {
    for (const request of await task.requests(operations, environment)) {
      const found = await allOf(operations, environment, { request, noun: task.noun })
      rows.push(...(task.isShared === true ? found : found.map((row) => ({ environment, ...row }))))
    }
  }
  if (flags.json === true) {
    out(JSON.stringify(rows, null, 2))
    return
  }
  const fields = task.isShared === true ? task.fields : ["environment", ...task.fields]
  if (rows.length === 0) err("none")
  else out(tableOf(rows, fields))
}

/** All pages of a list. */
async function allOf(
  operations: Operations,
  environment: Environment,
  { request, noun }: { readonly request: ManagementRequest; readonly noun: string },
): Promise<readonly Data[]> {
  const rows: Data[] = []
  let cursor: string | undefined
  for (let page = 0; page < LIST_PAGES_MAX; page += 1) {
    const query = {
      ...request.query,
      limit: String(PAGE_SIZE_MAX),
      ...(cursor === undefined ? {} : { cursor }),
    }
    const data = await operations.ask(environment, { ...request, query })
    rows.push(...((data[noun] ?? []) as readonly Data[]))
    const { next_cursor: next } = data
    if (typeof next !== "string") return rows
    cursor = next
  }
  throw new Error(`the list of ${noun} has more than ${LIST_PAGES_MAX} pages`)
}

async function show(running: Running<Extract<Task, { type: "show" }>>): Promise<void> {
  const { operations, environments, flags, task } = running
  const data = await firstKnown(environments, (environment) => operations.ask(environment, task.request))
  const shown = (data[task.noun] ?? {}) as Data
  out(flags.json === true ? JSON.stringify(shown, null, 2) : tableOf([shown], Object.keys(shown)))
}

async function write(running: Running<Extract<Task, { type: "write" }>>): Promise<void> {
  const { operations, environments, flags, task } = running
  const data = await firstKnown(environments, (environment) => operations.ask(environment, task.request))
  const written = (data[task.noun] ?? {}) as Data
  const { value } = data
  if (flags.json === true) {
    out(JSON.stringify(value === undefined ? written : { ...written, value }, null, 2))
    return
  }
  const id = String(written[task.id])
  if (task.isValue !== true) err(`${task.did} ${id}`)
  if (typeof value !== "string") out(id)
  else {
    err("its value, which cannot be shown again:")
    out(value)
  }
}

/** The first environment that knows the object. */
async function firstKnown(
  environments: readonly Environment[],
  ask: (environment: Environment) => Promise<Data>,
): Promise<Data> {
  for (const [at, environment] of environments.entries()) {
    try {
      return await ask(environment)
    } catch (cause) {
      const isElsewhere = cause instanceof RequestRefused && cause.code === "NOT_FOUND"
      if (!isElsewhere || at === environments.length - 1) throw cause
    }
  }
  throw new Error("there is no environment to ask")
}

/** The field problems of a refusal, without the sentence around them. */
function problemsIn({ problems, message }: RequestRefused): string {
  return problems.length === 0 ? message : problems.map((one) => `${one.field}: ${one.message}`).join("; ")
}

function hintFor(code: string): string {
  if (code === "RETAILER_NOT_SUPPORTED_IN_ZONE") return '; see "curbline zones support"'
  if (code === "INVALID_OPERATOR_TOKEN") return "; set CURBLINE_OPERATOR_TOKEN to one that is"
  return ""
}

/** `reservations:read,retailers:read`, or `all`. */
export function permissionsIn(text: string): readonly string[] {
  if (text === "all") return PERMISSIONS
  return wordsIn(text, PERMISSIONS, "permission")
}

/** `production,sandbox`; an empty text is none. */
export function environmentsIn(text: string): readonly string[] {
  return text === "" ? [] : wordsIn(text, ENVIRONMENTS, "environment")
}

function wordsIn(text: string, known: readonly string[], noun: string): readonly string[] {
  const words = text.split(",").map((word) => word.trim())
  for (const word of words) {
    if (known.includes(word)) continue
    const meant = nearest(word, known)
    const advice = meant === undefined ? `there are ${known.join(", ")}` : `did you mean "${meant}"?`
    throw new UsageError(`there is no ${noun} "${word}"; ${advice}`)
  }
  return words
}

/** The fields that were given; a body has no others. */
export function given(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** A path whose parts are escaped. */
export function pathOf(...parts: readonly string[]): string {
  return ["/internal/v1", ...parts.map((part) => encodeURIComponent(part))].join("/")
}

/** The ids of all organizations. */
export async function organizationIds(
  operations: Operations,
  environment: Environment,
): Promise<readonly string[]> {
  const request = { method: "GET", path: pathOf("organizations") } as const
  const organizations = await allOf(operations, environment, { request, noun: "organizations" })
  return organizations.map((one) => String(one["organization_id"]))
}

/** The coordinates in a GeoJSON file: of a polygon, or of a feature with one. An empty text means none. */
export function areaIn(file: string | undefined): unknown {
  if (file === undefined) return undefined
  if (file === "") return null
  const found = jsonIn(file)
  const polygon = found.geometry ?? found
  if (polygon.type !== "Polygon") throw new UsageError(`"${file}" holds no GeoJSON polygon`)
  return polygon.coordinates
}

interface GeoJson {
  readonly type?: unknown
  readonly coordinates?: unknown
  readonly geometry?: GeoJson
}

function jsonIn(file: string): GeoJson {
  try {
    return Object(JSON.parse(readFileSync(file, "utf8"))) as GeoJson
  } catch (cause) {
    throw new UsageError(`"${file}" is no JSON file: ${faultMessage(cause)}`)
  }
}

export function numberIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== "" && Number.isFinite(value)) return value
  throw new UsageError(`"${text}" is no number`)
}
