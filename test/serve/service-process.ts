/** The service as a user starts it: another process, on free ports, with a data folder of its own. */

import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { MEMORY_POOLS, YOUNG_HEAP } from "../../src/cli/kit/memory-settings.ts"
import { freePort } from "../free-port.ts"
import { ROOT } from "../cli/command-line.ts"
import { copyTemplateTo } from "../engine/store/embedded-template.ts"

export interface Access {
  readonly base_url: string
  readonly api_key: string
  readonly zone_id: string
  readonly retailer_id: string
  readonly site_id: string
  readonly operator_token: string
}

export interface ServiceProcess {
  readonly data: string
  readonly said: string
  /** What it has written to stderr so far. */
  readonly log: () => string
  /** The demo's access; throws when there is no demo. */
  readonly access: { readonly production: Access; readonly sandbox: Access }
  /** Where each host answers. */
  readonly urls: { readonly production: string; readonly sandbox: string }
  /** Ends it in order and gives its exit status. */
  readonly stop: () => Promise<number | null>
  /** Sends a signal without waiting. */
  readonly signal: (signal: NodeJS.Signals) => void
  readonly exited: Promise<number | null>
  /** Ends it like a power cut. */
  readonly kill: () => Promise<void>
}

/** More of its command line and of its environment. */
export interface MoreOfProcess {
  readonly words?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Node's own arguments; default: `SHORT_LIVED`. */
  readonly node?: readonly string[]
}

/**
 * Node's arguments for a service that ends with its test: it compiles the WebAssembly of the embedded database once, fast, and
 * not again for speed, which takes a third of the processor time of a start. It has the memory settings of the service from its
 * beginning, so that it does not replace itself.
 */
export const SHORT_LIVED = ["--liftoff-only", YOUNG_HEAP]

/** Starts it and waits for the end of its greeting. */
export async function startProcess(
  data: string,
  ports?: readonly [number, number],
  { words: more = [], env = {}, node = SHORT_LIVED }: MoreOfProcess = {},
): Promise<ServiceProcess> {
  const [production, sandbox] = ports ?? [await freePort(), await freePort()]
  const words = [
    "serve",
    "--data",
    data,
    "--production-port",
    String(production),
    "--sandbox-port",
    String(sandbox),
    ...more,
  ]
  const program = [...node, "src/cli/curbline.js"]
  const child = spawn(process.execPath, [...program, ...words, "--allow-local-targets"], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...MEMORY_POOLS,
      DATABASE_URL: "",
      CURBLINE_SECRET: "",
      NODE_ENV: "development",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let log = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text
  })
  const exited = once(child, "exit").then(([status]) => status as number | null)
  const said = await greetingOf(child, () => log)
  const signal = (one: NodeJS.Signals): void => void child.kill(one)
  const ended = (one: NodeJS.Signals): Promise<number | null> => {
    signal(one)
    return exited
  }
  return {
    data,
    said,
    log: () => log,
    get access() {
      return JSON.parse(readFileSync(join(data, "demo.json"), "utf8")) as ServiceProcess["access"]
    },
    urls: {
      production: `http://127.0.0.1:${production}`,
      sandbox: `http://127.0.0.1:${sandbox}`,
    },
    stop: () => ended("SIGTERM"),
    signal,
    exited,
    kill: async () => void (await ended("SIGKILL")),
  }
}

export function dataFolder(): string {
  return mkdtempSync(join(tmpdir(), "curbline-data-"))
}

/** A folder with a new embedded database, in which a service has not run yet. */
export function preparedDataFolder(): string {
  const data = dataFolder()
  copyTemplateTo(join(data, "database"))
  return data
}

export type DatabaseKind = "PostgreSQL" | "the embedded database"

/** A folder for a service on this database, in which none has run yet. */
export function dataFolderOn(database: DatabaseKind): string {
  return database === "PostgreSQL" ? dataFolder() : preparedDataFolder()
}

/** A copy of a stopped service's folder: opening a database takes a third of the time of creating one. */
export function copyOf(data: string): string {
  const copy = dataFolder()
  cpSync(data, copy, { recursive: true })
  return copy
}

/** The last line of the greeting names the API's document. */
async function greetingOf({ stdout }: ChildProcess, log: () => string): Promise<string> {
  if (stdout === null) throw new Error("the process has no output")
  const lines: string[] = []
  for await (const line of createInterface({ input: stdout })) {
    lines.push(line)
    if (line.startsWith("The API's document")) return lines.join("\n")
  }
  throw new Error(`the service ended before it said anything: ${log()}`)
}

export interface Answer {
  readonly status: number
  readonly body: {
    readonly success: boolean
    readonly code?: string
    readonly data: Record<string, unknown> & {
      readonly reservation: { readonly reservation_id: string; readonly status: string }
      readonly webhook: { readonly secret: string }
      readonly step: string
    }
  }
}

/** One call of the API. */
export async function call(
  access: Access,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(`${access.base_url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${access.api_key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Answer["body"] }
}

/** A booking that starts in half an hour. */
export function booking(access: Access, openLinkUrl: string, orderNumber = "1001"): object {
  const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString()
  return {
    zone_id: access.zone_id,
    retailer_id: access.retailer_id,
    order_number: orderNumber,
    end_user_name: "Ada Example",
    end_user_phone: "+15125550100",
    open_link_url: openLinkUrl,
    arrival_window_start: inMinutes(30),
    arrival_window_end: inMinutes(60),
  }
}

export interface Receiver {
  readonly url: string
  readonly received: readonly {
    readonly path: string
    readonly headers: NodeJS.Dict<string | string[]>
    readonly body: string
  }[]
  /** Resolves when this many requests have arrived. */
  readonly count: (wanted: number) => Promise<void>
  readonly close: () => Promise<void>
}

type Answering = (request: Receiver["received"][number]) => Promise<{
  readonly status: number
  readonly body?: string
}>

/** A partner's server on loopback that takes everything, or answers in another way. */
export async function startReceiver(answer: Answering = async () => ({ status: 200 })): Promise<Receiver> {
  const received: Receiver["received"][number][] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const one = {
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      }
      received.push(one)
      void answer(one).then(({ status, body = "" }) => response.writeHead(status).end(body))
      for (const wake of waiting) wake()
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const count = (wanted: number): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        if (received.length < wanted) return
        waiting.delete(wake)
        resolve()
      }
      waiting.add(wake)
      wake()
    })
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  }
  return { url: `http://127.0.0.1:${port}`, received, count, close }
}
