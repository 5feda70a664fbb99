/**
 * The management commands: what each requests from the service, and how its answer is printed. Only values go to
 * stdout.
 */

import { ENVIRONMENTS } from "../../model/caller.ts"
import type { Environment } from "../../model/caller.ts"
import type { ManagementRequest } from "../../apps/operations/http/management.ts"
import { LIST_PAGES_MAX, PAGE_SIZE_MAX } from "../../model/values/limits.ts"
import type { Task } from "./command-inputs.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { openOperations } from "./open-operations.ts"
import type { OperationsPlace } from "./open-operations.ts"
import { RequestRefused } from "./operations.ts"
import type { Data, Operations } from "./operations.ts"
import { UsageError } from "../kit/usage-error.ts"
import { tableOf } from "../kit/text-table.ts"
import { err, out } from "../kit/terminal.ts"

export interface ManagementFlags extends OperationsPlace {
  readonly environment?: Environment
  readonly json?: boolean
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
    const running = { operations, environments, flags, task }
    await (task.command.columns === undefined ? askOnce(running) : list(running, task.command.columns))
  } finally {
    await operations.close()
  }
}

function environmentsOf(
  { environments }: Operations,
  { environment }: ManagementFlags,
  { command: { noun, did, looksEverywhere } }: Task,
): readonly Environment[] {
  if (noun.isShared === true) return environments.slice(0, 1)
  if (environment !== undefined) {
    if (environments.includes(environment)) return [environment]
    throw new UsageError(`this host serves ${environments.join()}, not ${environment}`)
  }
  if (environments.length === 1 || did === undefined || looksEverywhere === true) return environments
  throw new UsageError(
    `say in which environment: ${ENVIRONMENTS.map((one) => `--environment ${one}`).join(" or ")}`,
  )
}

interface Running {
  readonly operations: Operations
  readonly environments: readonly Environment[]
  readonly flags: ManagementFlags
  readonly task: Task
}

async function list(
  { operations, environments, flags, task }: Running,
  columns: readonly string[],
): Promise<void> {
  const { isShared } = task.command.noun
  const rows: Data[] = []
  for (const environment of environments) {
    for (const path of await pathsOf(operations, environment, task.request.path)) {
      const found = await allOf(operations, environment, {
        request: { ...task.request, path },
        noun: task.noun,
      })
      rows.push(...(isShared === true ? found : found.map((row) => ({ environment, ...row }))))
    }
  }
  if (flags.json === true) out(JSON.stringify(rows, null, 2))
  else if (rows.length === 0) err("none")
  else out(tableOf(rows, isShared === true ? columns : ["environment", ...columns]))
}

/** A path whose parameter has no value stands for those of all objects: `/organizations/{id}/api-keys`. */
async function pathsOf(
  operations: Operations,
  environment: Environment,
  path: string,
): Promise<readonly string[]> {
  const [parent = "", rest] = path.split("/{id}")
  if (rest === undefined) return [path]
  const noun = parent.slice(parent.lastIndexOf("/") + 1)
  const objects = await allOf(operations, environment, { request: { method: "GET", path: parent }, noun })
  return objects.map(
    (one) => `${parent}/${encodeURIComponent(String(one[noun.replace(/s$/, "_id")]))}${rest}`,
  )
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

async function askOnce({ operations, environments, flags, task }: Running): Promise<void> {
  const { data, environment } = await firstKnown(environments, (one) => operations.ask(one, task.request))
  const object = linked((data[task.noun] ?? {}) as Data, task, operations.urlOf(environment))
  const { value } = data
  if (flags.json === true) out(JSON.stringify(value === undefined ? object : { ...object, value }, null, 2))
  else if (task.command.did === undefined) outObject(object, task)
  else {
    const id = String(object[task.id])
    const { isLink, isValue } = task.command
    if (isValue !== true) err(isLink === true ? task.did : `${task.did} ${id}`)
    if (typeof value === "string") err("its value, which cannot be shown again:")
    out(typeof value === "string" ? value : id)
  }
}

function outObject(object: Data, { command: { shows } }: Task): void {
  if (shows === undefined) {
    out(tableOf([object], Object.keys(object)))
    return
  }
  const [field, columns] = shows.list
  const rows = (object[field] ?? []) as readonly Data[]
  out(tableOf([object], shows.columns))
  err(rows.length === 0 ? `no ${field}` : `${field}:`)
  if (rows.length > 0) out(tableOf(rows, columns))
}

/** The object with the URL of its link, instead of the path on its host. */
function linked(object: Data, { id, command }: Task, url: string | null): Data {
  return command.isLink === true && url !== null ? { ...object, [id]: `${url}${String(object[id])}` } : object
}

/** The first environment that knows the object. */
async function firstKnown(
  environments: readonly Environment[],
  ask: (environment: Environment) => Promise<Data>,
): Promise<{ readonly data: Data; readonly environment: Environment }> {
  for (const [at, environment] of environments.entries()) {
    try {
      return { data: await ask(environment), environment }
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
