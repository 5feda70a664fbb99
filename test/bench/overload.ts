/**
 * What becomes of the service at five and ten times its capacity: `npm run bench -- overload`, on the embedded database, or with
 * `--postgres` on a PostgreSQL of its own; `--quick` for a fifth of the time. First a closed loop finds the capacity in bookings a
 * second, then another process sends so many times as many whether or not answers come (an open loop), while another organization
 * sends two a second, then single requests find when answers are as fast as before. Wanted: goodput at least 0.8 of
 * capacity, the 99th percentile of accepted bookings under 2 s, 0.98 of the other organization's bookings answered, and
 * normal again within 5 s. It says what it found and fails only when the service does.
 */

import { spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { call, booking, dataFolder, startProcess, startReceiver } from "../serve/service-process.ts"
import type { Access, Answer, ServiceProcess } from "../serve/service-process.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { MINUTE_MS, isoMs } from "../../src/model/values/time.ts"
import { printMachine } from "./machine-line.ts"
import type { LoadOrder, LoadMessage } from "./overload-load.ts"

const FLOODS = [5, 10]
const CALM_PER_SECOND = 2
const isQuick = process.argv.includes("--quick")
const CLOSED_SECONDS = isQuick ? 5 : 20
const OPEN_SECONDS = isQuick ? 12 : 60
const WORKERS = 32
const RECOVERY_SECONDS_MAX = 30
const ZONES = 40
const HALF_HOURS = 8
/** This many consecutive answers at the earlier speed count as recovered. */
const NORMAL_IN_A_ROW = 10

export async function benchOverload(): Promise<void> {
  printMachine()
  const database = process.argv.includes("--postgres") ? await startServer() : null
  const data = dataFolder()
  const receiver = await startReceiver()
  const service = await startProcess(data, undefined, {
    env: {
      CURBLINE_LOG_LEVEL: "warn",
      CURBLINE_REQUESTS_PER_MINUTE: "1000000",
      ...(database === null ? {} : { DATABASE_URL: database.url, CURBLINE_SECRET: "s".repeat(40) }),
    },
    words: database === null ? [] : ["--demo"],
  })
  try {
    await measure(service, receiver.url)
  } finally {
    await service.stop()
    await receiver.close()
    await database?.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

async function measure(service: ServiceProcess, openLinkUrl: string): Promise<void> {
  const access = service.access.sandbox
  const zones = await makeZones(access)
  const order: Omit<LoadOrder, "seconds"> = {
    url: `${access.base_url}/rs/v1/reservations`,
    key: access.api_key,
    bodies: bookingsOf(zones, booking(access, openLinkUrl)),
    perSecond: null,
    workers: WORKERS,
  }
  await load({ ...order, seconds: CLOSED_SECONDS / 4 })
  const closed = await load({ ...order, seconds: CLOSED_SECONDS })
  const capacity = closed.acceptedPerSecond
  if (capacity === 0) throw new Error(`no booking was accepted: ${JSON.stringify(closed.statuses)}`)
  console.log(
    `\ncapacity, closed loop of ${WORKERS}: ${capacity.toFixed(0)} bookings/s, ` +
      `p50 ${closed.p50Ms.toFixed(0)} ms, p99 ${closed.p99Ms.toFixed(0)} ms`,
  )
  const calm: typeof order = { ...order, key: await makeCalm(access, zones), perSecond: CALM_PER_SECOND }
  await load({ ...calm, seconds: 2 })
  for (const times of FLOODS) await flood({ access, order, calm, times, capacity })
  const beganMs = performance.now()
  const normalMs = await normalAfter(service, openLinkUrl, Math.max(closed.p99Ms, 100))
  const found =
    normalMs === null ? `not within ${RECOVERY_SECONDS_MAX} s` : `${(normalMs - beganMs).toFixed(0)} ms`
  console.log(`normal again after ${found} (wanted: within 5000 ms)`)
}

interface Flood {
  readonly access: Access
  readonly order: Omit<LoadOrder, "seconds">
  readonly calm: Omit<LoadOrder, "seconds">
  readonly times: number
  /** Bookings a second. */
  readonly capacity: number
}

async function flood({ access, order, calm, times, capacity }: Flood): Promise<void> {
  const opened = load({ ...order, perSecond: times * capacity, seconds: OPEN_SECONDS })
  const calmed = load({ ...calm, seconds: OPEN_SECONDS })
  const watched = await watchReadiness(access.base_url, opened)
  const open = await opened
  console.log(
    `\nopen loop at ${times} times that: ${open.sent} sent, ${JSON.stringify(open.statuses)}, ready: ${watched}`,
  )
  console.log(
    `goodput ${open.acceptedPerSecond.toFixed(0)}/s, ratio ${(open.acceptedPerSecond / capacity).toFixed(2)} ` +
      `(wanted: at least 0.80)`,
  )
  console.log(
    `accepted: p50 ${open.p50Ms.toFixed(0)} ms, p99 ${open.p99Ms.toFixed(0)} ms (wanted: under 2000)`,
  )
  const { sent, statuses, p50Ms, p99Ms } = await calmed
  const served = sent - (statuses["503"] ?? 0) - (statuses["0"] ?? 0)
  console.log(
    `another organization at ${CALM_PER_SECOND}/s: ${served} of ${sent} answered, ${(served / sent).toFixed(2)} ` +
      `(wanted: at least 0.98), ${JSON.stringify(statuses)}, p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms`,
  )
}

/**
 * Bookings of a city: a body for each zone and each half-hour of an afternoon. A booking counts the open reservations of its zone
 * that begin before its window ends. Thousands in one zone, which no site has, would make each booking slower than the last.
 */
function bookingsOf(zones: readonly string[], body: object): readonly object[] {
  const nowMs = Date.now()
  return Array.from({ length: HALF_HOURS }, (_, number) => ({
    arrival_window_start: isoMs(nowMs + (number + 1) * 30 * MINUTE_MS),
    arrival_window_end: isoMs(nowMs + (number + 2) * 30 * MINUTE_MS),
  })).flatMap((window) => zones.map((zone) => ({ ...body, ...window, zone_id: zone })))
}

/** Makes zones with stalls in the demo's site, each with the demo's retailer, which its organization may book. */
async function makeZones(access: Access): Promise<readonly string[]> {
  const operate = operator(access)
  const { zones } = (await operate("GET", "/zones")) as unknown as { readonly zones: readonly Named[] }
  const { grants } = (await operate("GET", "/grants")) as unknown as { readonly grants: readonly Named[] }
  const site = zones.find(({ zone_id: id }) => id === access.zone_id)?.["site_id"]
  const organization = grants.find(({ zone_id: id }) => id === access.zone_id)?.["organization_id"]
  const made: string[] = []
  while (made.length < ZONES) {
    const { zone } = await operate("POST", "/zones", { site_id: site, name: `Curb ${made.length}` })
    const { zone_id: id = "" } = zone as Named
    for (const label of ["A1", "A2", "A3"]) await operate("POST", "/stalls", { zone_id: id, label })
    await operate("PUT", `/zones/${id}/retailers/${access.retailer_id}`)
    await operate("PUT", `/organizations/${organization}/grants/${id}/${access.retailer_id}`)
    made.push(id)
  }
  return made
}

/** Another organization, which may book the same zones; returns its key. */
async function makeCalm(access: Access, zones: readonly string[]): Promise<string> {
  const operate = operator(access)
  const made = (await operate("POST", "/organizations", { name: "Calm" })) as unknown as {
    readonly organization: Named
  }
  const id = made.organization["organization_id"]
  for (const zone of zones) await operate("PUT", `/organizations/${id}/grants/${zone}/${access.retailer_id}`)
  const permissions = ["reservations:read", "reservations:write"]
  const { value } = await operate("POST", `/organizations/${id}/api-keys`, { permissions })
  return String(value)
}

function operator(access: Access) {
  return async (method: string, path: string, body?: object): Promise<Answer["body"]["data"]> => {
    const caller = { ...access, api_key: access.operator_token }
    const answer = await call(caller, method, `/internal/v1${path}`, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }
}

type Named = Readonly<Record<string, string>>

async function load(order: LoadOrder): Promise<LoadMessage> {
  const script = fileURLToPath(new URL("overload-load.ts", import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let text = ""
  child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part))
  await once(child, "exit")
  return JSON.parse(text) as LoadMessage
}

/** How often each answer of `/readyz` was given, once a second. */
async function watchReadiness(baseUrl: string, until: Promise<unknown>): Promise<string> {
  const seen: Record<string, number> = {}
  const ending = until.then(() => true)
  const pause = (): Promise<boolean> => new Promise((resolve) => void setTimeout(() => resolve(false), 1_000))
  for (let hasEnded = false; !hasEnded; hasEnded = await Promise.race([ending, pause()])) {
    const { status } = await fetch(`${baseUrl}/readyz`)
    seen[status] = (seen[status] ?? 0) + 1
  }
  return JSON.stringify(seen)
}

/** The instant of the first of this many consecutive fast bookings; null when there are none. */
async function normalAfter(
  { access }: ServiceProcess,
  openLinkUrl: string,
  usualMs: number,
): Promise<number | null> {
  const beganMs = performance.now()
  let fast: number[] = []
  while (performance.now() - beganMs < RECOVERY_SECONDS_MAX * 1_000) {
    const askedMs = performance.now()
    const { status } = await call(
      access.sandbox,
      "POST",
      "/rs/v1/reservations",
      booking(access.sandbox, openLinkUrl),
    )
    const isFast = status === 201 && performance.now() - askedMs <= usualMs
    fast = isFast ? [...fast, askedMs] : []
    if (fast.length === NORMAL_IN_A_ROW) return fast[0] ?? null
  }
  return null
}
