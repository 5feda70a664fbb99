/**
 * A host as a partner's program sees it: calls under an API key, for the commands of developers. Finds host and key in flags, in the
 * environment, and in the demo data of this machine.
 */

import { setTimeout as after } from "node:timers/promises"
import { readDemo } from "../../live/demo/demo-file.ts"
import type { KeptDemo } from "../../live/demo/demo-file.ts"
import { FOLLOW_SECONDS_MAX } from "../../model/values/limits.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import { onLocalFiles } from "../kit/local-files.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err } from "../kit/terminal.ts"

export interface PartnerFlags {
  readonly key?: string
  readonly url?: string
  readonly data?: string
}

export interface PartnerHost {
  /** Scheme, host and port. */
  readonly url: string
  /** The site of the demo data, if the key is the demo's. */
  readonly siteId: string | null
  /** The `data` of an answer. Rejects with a HostRefused or a HostAway. */
  readonly ask: (call: PartnerCall) => Promise<PartnerData>
}

export interface PartnerCall {
  readonly method?: "GET" | "PATCH" | "POST"
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers are read field by field; the service's documents say what is in them. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type PartnerData = any

/** The host refused the call. */
export class HostRefused extends Error {
  readonly status: number
  readonly code: string | null
  /** s; null when it names no time. */
  readonly retryAfterSeconds: number | null

  constructor(status: number, answer: Refusal, retryAfterSeconds: number | null) {
    const { code = null, error = `the host answered ${status}` } = answer
    super(error)
    this.status = status
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

interface Refusal {
  readonly code?: string
  readonly error?: string
}

/** The host gave no answer. */
export class HostAway extends Error {}

const LOCAL_SANDBOX = "http://127.0.0.1:4011"

/** Longer than a host lets a call wait. */
const ANSWER_MS_MAX = (FOLLOW_SECONDS_MAX + 15) * SECOND_MS

/** The host of the flags. A UsageError says what is missing. `isSandbox`: keys of production are refused at once. */
export async function partnerHost(
  flags: PartnerFlags,
  { isSandbox }: { readonly isSandbox: boolean },
): Promise<PartnerHost> {
  const { CURBLINE_API_KEY, CURBLINE_URL, CURBLINE_DATA } = process.env
  const given = flags.key ?? CURBLINE_API_KEY ?? ""
  const urlGiven = flags.url ?? CURBLINE_URL ?? ""
  const data = flags.data ?? CURBLINE_DATA ?? ".curbline"
  const known = given === "" ? await onLocalFiles(readDemo(data)) : null
  // The demo's key is good for its own host alone.
  const demo =
    known !== null && (urlGiven === "" || isSameHost(urlGiven, known.sandbox.base_url)) ? known : null
  const { key, url, siteId } = placeOf({ given, urlGiven, demo })
  if (key === "")
    throw new UsageError(
      known === null
        ? `there is no API key: set CURBLINE_API_KEY, or pass --key; ${data}/demo.json has none either`
        : `there is no API key for ${urlGiven}: set CURBLINE_API_KEY, or pass --key; that of the demo is for ${known.sandbox.base_url}`,
    )
  if (isSandbox && key.startsWith("ck_prod_"))
    throw new UsageError("this is a key of production; the sandbox takes keys that begin with ck_sbx_")
  return { url, siteId, ask: (call) => askOf(url, key, call) }
}

/** `localhost` is the loopback. */
export function isSameHost(one: string, other: string): boolean {
  const hostOf = (url: string): string =>
    URL.canParse(url) ? new URL(url).host.replace(/^localhost(?=:|$)/, "127.0.0.1") : url
  return hostOf(one) === hostOf(other)
}

function placeOf({
  given,
  urlGiven,
  demo,
}: {
  readonly given: string
  readonly urlGiven: string
  readonly demo: KeptDemo | null
}): { readonly key: string; readonly url: string; readonly siteId: string | null } {
  if (demo === null) return { key: given, url: baseOf(urlGiven || LOCAL_SANDBOX), siteId: null }
  const { api_key: key, base_url, site_id: siteId } = demo.sandbox
  return { key, url: baseOf(base_url), siteId }
}

export function baseOf(given: string): string {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${given} is no URL of a host: give scheme, host and port, such as ${LOCAL_SANDBOX}`)
  return url.origin
}

async function askOf(url: string, key: string, call: PartnerCall): Promise<PartnerData> {
  const { body, headers = {}, path } = call
  const { method = body === undefined ? "GET" : "POST" } = call
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: "error",
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  })
    .then(async (response) => ({ response, text: await response.text() }))
    .catch((cause: unknown) => {
      throw new HostAway(`${url} does not answer: ${reasonOf(cause)}`)
    })
  const parsed = jsonIn(answer.text)
  if (answer.response.ok) return parsed?.data ?? {}
  const seconds = Number(answer.response.headers.get("Retry-After") ?? Number.NaN)
  throw new HostRefused(answer.response.status, parsed ?? {}, Number.isFinite(seconds) ? seconds : null)
}

function jsonIn(text: string): PartnerData {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The innermost reason of a failed connection, such as `connect ECONNREFUSED 127.0.0.1:3000`. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0])
  return cause.cause === undefined ? cause.message : reasonOf(cause.cause)
}

const RETRY_MS = SECOND_MS
const RETRY_MS_MAX = 10 * SECOND_MS

/** Refusals that pass by themselves. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Asks for what comes next until there is an answer; only a refusal that stays rejects. Says once that the host is away, and once that it
 * is back. `callFor`: the call that waits so many seconds for an entry; after a failure it does not wait, so that the answer comes at once.
 */
export async function nextFrom(
  host: PartnerHost,
  callFor: (waitSeconds: number) => PartnerCall,
): Promise<PartnerData> {
  for (let failures = 0; ; failures += 1) {
    try {
      const data = await host.ask(callFor(failures === 0 ? FOLLOW_SECONDS_MAX : 0))
      if (failures > 0) err(`${host.url} answers again`)
      return data
    } catch (cause) {
      const isPassing =
        cause instanceof HostAway || (cause instanceof HostRefused && PASSING.has(cause.status))
      if (!isPassing) throw cause
      if (failures === 0) err(`${cause.message}; trying again`)
      const named = cause instanceof HostRefused ? cause.retryAfterSeconds : null
      const pauseMs = named === null ? RETRY_MS * 2 ** Math.min(failures, 4) : named * SECOND_MS
      await after(Math.min(pauseMs, RETRY_MS_MAX))
    }
  }
}

/** What to do about a refusal. */
export function refusalText({ url }: PartnerHost, { status, code, message }: HostRefused): string {
  if (status === 404 && code === "NOT_FOUND") return `${url} is no sandbox host: ${message}`
  if (code === "INVALID_API_KEY") return `${url} does not know this key`
  if (code === "WRONG_ENV_KEY") return `${message}: ${url} takes keys of its own environment alone`
  if (code === "PERMISSION_DENIED")
    return `${message}; keys with other permissions are made on the portal's page of keys`
  return message
}
