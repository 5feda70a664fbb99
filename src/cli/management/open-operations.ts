/**
 * Finds the service for a management command: a running one through its operations API, or its database. Both ways use
 * the same endpoints, so that checks and answers are the same.
 */

import { setTimeout as after } from "node:timers/promises"
import { Redacted } from "effect"
import type { ManagementRequest } from "../../apps/operations/http/management.ts"
import { readDemo } from "../../live/demo/demo-file.ts"
import type { KeptDemo } from "../../live/demo/demo-file.ts"
import { secretIn } from "../../live/configuration/service-secret.ts"
import { ENVIRONMENTS } from "../../model/caller.ts"
import type { Environment } from "../../model/caller.ts"
import type { FieldProblem } from "../../model/values/errors.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import { isFolderHeld } from "../../engine/store/folder-lock.ts"
import { databaseIn, databasePlace } from "../kit/database-place.ts"
import { onLocalFiles } from "../kit/local-files.ts"
import { RequestRefused } from "./operations.ts"
import type { Data, Operations } from "./operations.ts"
import { runningService } from "../kit/running-service.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err } from "../kit/terminal.ts"
import { withoutEnd } from "../../model/values/text-ends.ts"

export interface OperationsPlace {
  /** Folder of the embedded database. */
  readonly data?: string
  /** Host of an operations API. */
  readonly url?: string
}

/** Attempts while another command, or a service that starts or stops, holds the folder. */
const HELD_TRIES_MAX = 300
const HELD_PAUSE_MS = 100

/**
 * A given URL comes first, then an external database, then the embedded one: in this process when no other process
 * holds it, otherwise through that process.
 */
export async function openOperations({ data: flag, url }: OperationsPlace): Promise<Operations> {
  if (url !== undefined) return throughUrl(url)
  const { databaseUrl, dataDir: data, secret: sealed, ...map } = databasePlace(flag)
  const secret = sealed === null ? null : Redacted.value(sealed)
  // Loaded on demand: a command that uses a running service needs no database.
  const inProcess = () => import("./operations-in-process.ts")
  if (databaseUrl !== null)
    return (await inProcess()).onPostgres(Redacted.value(databaseUrl), { secret, map })
  const folder = databaseIn(data)
  for (let tries = 1; ; tries += 1) {
    const opened = isFolderHeld(folder)
      ? null
      : await (
          await inProcess()
        ).onPglite(folder, {
          secret: secret ?? (await onLocalFiles(secretIn(data))),
          map,
        })
    if (opened !== null) return opened
    const note = runningService(data)
    if (note !== null) return throughHosts(note.base_urls, data, await onLocalFiles(readDemo(data)))
    if (tries === HELD_TRIES_MAX)
      throw new UsageError(`another process holds the database in ${data} and does not say where it answers`)
    if (tries === 1) err(`waiting for another process that holds the database in ${data}`)
    await after(HELD_PAUSE_MS)
  }
}

/** One host, with the token in `CURBLINE_OPERATOR_TOKEN`; the host reports which environment it serves. */
async function throughUrl(url: string): Promise<Operations> {
  const token = tokenGiven()
  if (token === null)
    throw new UsageError("with --url, set CURBLINE_OPERATOR_TOKEN to an operator token of that host")
  const base = withoutEnd(url, "/")
  const { environment } = await askHost({ base, token }, { method: "GET", path: "/internal/v1/environment" })
  return {
    environments: ENVIRONMENTS.filter((one) => one === environment),
    urlOf: () => base,
    ask: (_, request) => askHost({ base, token }, request),
    close: async () => undefined,
  }
}

/** Both hosts of a running service, with the demo's tokens unless one was given. */
function throughHosts(
  baseUrls: Readonly<Record<Environment, string>>,
  data: string,
  demo: KeptDemo | null,
): Operations {
  const given = tokenGiven()
  return {
    environments: ENVIRONMENTS,
    urlOf: (environment) => baseUrls[environment],
    ask: (environment, request) => {
      const isGiven = given?.startsWith(environment === "production" ? "ot_prod_" : "ot_sbx_") === true
      const token = isGiven ? given : demo?.[environment].operator_token
      if (token === undefined || token === null) {
        throw new UsageError(
          `the service holds the database in ${data}, and there is no operator token of ${environment} in its ` +
            `demo.json: set CURBLINE_OPERATOR_TOKEN, or stop the service`,
        )
      }
      return askHost({ base: baseUrls[environment], token }, request)
    },
    close: async () => undefined,
  }
}

function tokenGiven(): string | null {
  const { CURBLINE_OPERATOR_TOKEN } = process.env
  return CURBLINE_OPERATOR_TOKEN === undefined || CURBLINE_OPERATOR_TOKEN === ""
    ? null
    : CURBLINE_OPERATOR_TOKEN
}

interface Host {
  readonly base: string
  readonly token: string
}

/** No command of operations takes as long. */
const ANSWER_MS_MAX = 60 * SECOND_MS

async function askHost({ base, token }: Host, request: ManagementRequest): Promise<Data> {
  const { method, path, query = {}, body } = request
  const wanted = Object.entries(query).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : [],
  )
  const search = new URLSearchParams(wanted).toString()
  const url = `${base}${path}${search === "" ? "" : `?${search}`}`
  const response = await fetch(url, {
    method,
    redirect: "error",
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new UsageError(`no service answers at ${base}: ${whyIn(cause)}`)
  })
  const answer = (await response.json().catch(() => null)) as Answer | null
  if (answer?.success === true) return answer.data ?? {}
  if (answer?.success !== false) throw new UsageError(`what answers at ${base} is no operations API`)
  throw new RequestRefused({
    code: answer.code ?? "",
    message: answer.error ?? `status ${response.status}`,
    problems: answer.details,
  })
}

interface Answer {
  readonly success?: boolean
  readonly data?: Data
  readonly code?: string
  readonly error?: string
  readonly details?: readonly FieldProblem[]
}

function whyIn(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? inner.message : String(inner)
}
