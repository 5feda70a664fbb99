/**
 * `curbline serve` for a journey: a process started as a user starts it, on the embedded database or on PostgreSQL, and
 * the commands that operations run beside it.
 */

import { afterAll, beforeAll, describe, expect } from "vitest"
import type { Ended } from "../cli/command-line.ts"
import { curblineHereWith } from "../cli/same-process.ts"
import { freePort } from "../free-port.ts"
import { isLong } from "../long-tests.ts"
import { dataFolderOn, startProcess } from "../serve/service-process.ts"
import type { DatabaseKind, MoreOfProcess, ServiceProcess } from "../serve/service-process.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../engine/store/postgres-server.ts"

/**
 * The databases of a long story: one, and both in `npm run test:long`. What the databases do differently is proved by the contracts
 * of `conformance` and by the short stories, which run on both.
 */
export function databasesOf(usual: DatabaseKind): readonly DatabaseKind[] {
  return isLong ? DATABASES : [usual]
}

const DATABASES: readonly DatabaseKind[] = ["the embedded database", "PostgreSQL"]

export interface Served {
  readonly database: DatabaseKind
  /** Where the database of the tests' PostgreSQL is; null on the embedded one. */
  readonly databaseUrl: () => string | null
  readonly process: () => ServiceProcess
  /** Settings of another process over the same database. */
  readonly env: () => NodeJS.ProcessEnv
  /** Starts another process after the end of the first, over the same data, at the same addresses. */
  readonly start: () => Promise<void>
  /** Stops the process in order and starts another over the same data, at the same addresses. */
  readonly restart: () => Promise<void>
  /** A command of operations. Returns its standard output; rejects with its messages when it fails. */
  readonly operate: (...words: readonly string[]) => Promise<string>
  /** The same against the running host of production, under an operator's token. */
  readonly operateHost: (token: string, ...words: readonly string[]) => Promise<string>
  /** One request to a path of a host, or to a whole URL. */
  readonly ask: (asked: Asked) => Promise<Answered>
}

export interface Asked {
  readonly host?: "production" | "sandbox"
  readonly method?: string
  readonly path: string
  readonly bearer?: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, unless it is text, bytes or form fields already. */
  readonly body?: object | string
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; `{}` where it is not. */
  readonly body: Json
  /** The `data` of the body; `{}` where it has none. */
  readonly data: Json
}

/** Answers are read field by field; a field that is missing fails the expectation that names it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any

export interface ServedOptions extends Pick<MoreOfProcess, "words"> {
  /** Settings of the process. Called when it starts, so that they may contain addresses of stand-ins. */
  readonly env?: (database: DatabaseKind) => NodeJS.ProcessEnv
  /** Demo data also on PostgreSQL. */
  readonly hasDemo?: boolean
  /** Default: both. */
  readonly databases?: readonly DatabaseKind[]
}

/** The same story on each database. The service is started before its tests and stopped, with status 0, after them. */
export function onDatabases(story: string, options: ServedOptions, tests: (served: Served) => void): void {
  describe.each(options.databases ?? DATABASES)(`${story}, on %s`, (database) => {
    let postgres: PostgresDatabase | null = null
    let service: ServiceProcess | undefined
    let start: () => Promise<void> = async () => undefined
    const started = (): ServiceProcess => {
      if (service === undefined) throw new Error("the service has not been started")
      return service
    }
    const placeOf = (): NodeJS.ProcessEnv =>
      postgres === null
        ? { DATABASE_URL: "", CURBLINE_SECRET: "" }
        : { DATABASE_URL: postgres.url, CURBLINE_SECRET: SECRET }

    beforeAll(async () => {
      if (database === "PostgreSQL") postgres = await startPostgres()
      const words = [
        ...(options.words ?? []),
        ...(options.hasDemo === true && postgres !== null ? ["--demo"] : []),
      ]
      const ports = [await freePort(), await freePort()] as const
      const folder = dataFolderOn(database)
      start = async () => {
        service = await startProcess(folder, ports, {
          words,
          env: { ...placeOf(), ...options.env?.(database) },
        })
      }
      await start()
    })
    afterAll(async () => {
      const status = await service?.stop()
      await postgres?.stop()
      if (status !== 0) throw new Error(`the service ended with ${String(status)}: ${service?.log() ?? ""}`)
    })

    tests({
      database,
      databaseUrl: () => postgres?.url ?? null,
      process: started,
      env: placeOf,
      start: () => start(),
      restart: async () => {
        expect(await started().stop()).toBe(0)
        await start()
      },
      operate: async (...words) => {
        const env = { ...placeOf(), CURBLINE_OPERATOR_TOKEN: "" }
        return saidBy(await curblineHereWith(env, ...words, "--data", started().data), words)
      },
      operateHost: async (token, ...words) => {
        const env = { ...placeOf(), CURBLINE_OPERATOR_TOKEN: token }
        return saidBy(await curblineHereWith(env, ...words, "--url", started().urls.production), words)
      },
      ask: (asked) => request(started(), asked),
    })
  })
}

/** At least as long as the service wants it. */
const SECRET = "a secret of the journeys, of 32 characters or more"

function saidBy({ status, out, err }: Ended, words: readonly string[]): string {
  if (status !== 0) throw new Error(`curbline ${words.join(" ")} ended with ${String(status)}: ${err}`)
  return out.trim()
}

async function request({ urls }: ServiceProcess, asked: Asked): Promise<Answered> {
  const { host = "production", path, bearer, headers, body } = asked
  const { method = body === undefined ? "GET" : "POST" } = asked
  const isPlain = typeof body === "string" || body instanceof URLSearchParams || body instanceof Uint8Array
  const response = await fetch(path.startsWith("http") ? path : `${urls[host]}${path}`, {
    method,
    headers: {
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined || isPlain ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isPlain ? (body as string) : JSON.stringify(body) }),
    redirect: "manual",
  })
  const text = await response.text()
  const parsed = jsonIn(text)
  return { status: response.status, headers: response.headers, text, body: parsed, data: parsed.data ?? {} }
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const MINUTE_MS = 60_000

/** RFC 3339, this many minutes from now. */
export function inMinutes(minutes: number): string {
  return new Date(Date.now() + minutes * MINUTE_MS).toISOString()
}
