/**
 * Production's bookings while two others have names whose name servers are silent: a stranger who has just signed up and registers
 * webhooks in the sandbox, and an organization of production with ten endpoints. `npm run bench -- silent-names`. Says how many
 * bookings succeeded, and after how long. `--seconds=60` is the time of each measurement; `--postgres` takes PostgreSQL instead of
 * the embedded database; `--system-resolver` lets the service ask the name server of the system, which this program then is on port
 * 53 of the loopback: in a network of its own, where /etc/resolv.conf names 127.0.0.1.
 */

import { setTimeout as after } from "node:timers/promises"
import { MINUTE_MS, SECOND_MS } from "../../src/model/values/time.ts"
import { startMailServer } from "../areas/messages/smtp-server.ts"
import type { MailServer } from "../areas/messages/smtp-server.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { startNameServer } from "../serve/name-server.ts"
import type { NameServer } from "../serve/name-server.ts"
import { booking, call, dataFolderOn, startProcess } from "../serve/service-process.ts"
import type { Access, ServiceProcess } from "../serve/service-process.ts"
import { printMachine } from "./machine-line.ts"

const BOOKING_EVERY_MS = 500
/** The stranger stays within the limit of the portal's commands. */
const HOOK_EVERY_MS = 1_000
const HOOKS_AT_ONCE = 2
const ENDPOINTS = 10
const SILENT_BOOKING_EVERY_MS = 10 * SECOND_MS
const HOOK_EVENTS = ["reservation.status_changed"]
const PRODUCTION_KEY = ["reservations:read", "reservations:write", "webhooks:manage"]

interface Stage {
  readonly service: ServiceProcess
  readonly names: NameServer
  readonly mail: MailServer
}

export async function benchSilentNames(): Promise<void> {
  printMachine()
  const isSystem = process.argv.includes("--system-resolver")
  const seconds = Number(process.argv.find((word) => word.startsWith("--seconds="))?.split("=")[1] ?? 60)
  const names = await startNameServer(isSystem ? 53 : 0)
  const mail = await startMailServer()
  const postgres = process.argv.includes("--postgres") ? await startServer() : null
  const kind = postgres === null ? "the embedded database" : "PostgreSQL"
  const service = await startProcess(dataFolderOn(kind), undefined, {
    words: ["--demo"],
    env: {
      SMTP_URL: mail.url,
      MAIL_FROM: "portal@curbline.example",
      ...(isSystem ? {} : { CURBLINE_NAME_SERVERS: names.address }),
      ...(postgres === null
        ? {}
        : { DATABASE_URL: postgres.url, CURBLINE_SECRET: "a secret of the benchmarks, 32 characters" }),
    },
  })
  const stage = { service, names, mail }
  console.log(`\n${kind}, ${seconds} s each`)
  const other = await organizationWithEndpoints(stage)
  const stranger = await signedUp(stage)
  await measure(stage, { name: "the partner alone", runMs: (seconds * SECOND_MS) / 4, others: [] })
  const register = (isOver: () => boolean): Promise<string> => registering(stage, stranger, isOver)
  await measure(stage, { name: "a stranger's webhooks", runMs: seconds * SECOND_MS, others: [register] })
  names.silence("endpoints.example")
  const book = (isOver: () => boolean): Promise<string> => bookingElsewhere(other, isOver)
  await measure(stage, { name: "ten silent endpoints", runMs: seconds * SECOND_MS, others: [book] })
  await measure(stage, { name: "both", runMs: seconds * SECOND_MS, others: [register, book] })
  console.log(`the service ended with ${String(await service.stop())}`)
  await mail.stop()
  names.stop()
  await postgres?.stop()
}

interface Measured {
  readonly name: string
  readonly runMs: number
  /** Run beside the bookings, and say what became of them. */
  readonly others: readonly ((isOver: () => boolean) => Promise<string>)[]
}

/** One booking of the demo's partner every half second, each in flight for as long as it takes. */
async function measure({ service }: Stage, { name, runMs, others }: Measured): Promise<void> {
  const { production } = service.access
  let isOver = false
  const beside = others.map((other) => other(() => isOver))
  const statuses: number[] = []
  const times: number[] = []
  const book = async (): Promise<void> => {
    const beganMs = performance.now()
    const link = "https://open.partner.example/open"
    const { status } = await call(production, "POST", "/rs/v1/reservations", booking(production, link))
    statuses.push(status)
    times.push(performance.now() - beganMs)
  }
  // The others are in full flow before the first booking.
  await after(others.length === 0 ? 0 : 2 * SECOND_MS)
  const bookings: Promise<void>[] = []
  for (const endMs = performance.now() + runMs; performance.now() < endMs; await after(BOOKING_EVERY_MS))
    bookings.push(book())
  await Promise.all(bookings)
  isOver = true
  const booked = statuses.filter((status) => status === 201).length
  times.sort((one, another) => one - another)
  const at = (share: number): string => `${Math.round(times[Math.floor(share * (times.length - 1))] ?? 0)} ms`
  console.log(
    `${name.padEnd(24)}${booked} of ${statuses.length} booked; p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`,
  )
  for (const said of await Promise.all(beside)) console.log(`  ${said}`)
}

/** Registers webhooks whose hosts have a silent name server, two at a time. */
async function registering(stage: Stage, cookie: string, isOver: () => boolean): Promise<string> {
  const statuses = new Map<number, number>()
  let count = 0
  const one = async (): Promise<void> => {
    while (!isOver()) {
      count += 1
      const url = `https://silent${count}-${Date.now()}.stranger.example/`
      const { status } = await portal(stage, "/webhooks", {
        cookie,
        body: { url, subscribed_events: HOOK_EVENTS },
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      await after(HOOK_EVERY_MS)
    }
  }
  await Promise.all(Array.from({ length: HOOKS_AT_ONCE }, one))
  return `the stranger's answers: ${[...statuses].map(([status, times]) => `${times} × ${status}`).join(", ")}`
}

/** Books now and then, each time with an event for every silent endpoint. */
async function bookingElsewhere(access: Access, isOver: () => boolean): Promise<string> {
  let count = 0
  let nextMs = 0
  while (!isOver()) {
    if (performance.now() >= nextMs) {
      nextMs = performance.now() + SILENT_BOOKING_EVERY_MS
      const { status } = await call(
        access,
        "POST",
        "/rs/v1/reservations",
        booking(access, "http://127.0.0.1:9/open"),
      )
      if (status === 201) count += 1
    }
    await after(100)
  }
  return `${count} bookings, each with ${ENDPOINTS} events to silent names`
}

/** An organization of production that may book where the demo's partner books. */
async function organizationWithEndpoints({ service }: Stage): Promise<Access> {
  const { production } = service.access
  const operate = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const operator = { ...production, api_key: production.operator_token }
    const { status, body: answered } = await call(operator, method, `/internal/v1${path}`, body)
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}`)
    return answered.data
  }
  const made = await operate("POST", "/organizations", {
    name: "Silent",
    is_fleet_partner: true,
    environments: ["production"],
  })
  const id = (made["organization"] as { organization_id: string }).organization_id
  await operate("PUT", `/organizations/${id}/grants/${production.zone_id}/${production.retailer_id}`)
  const key = await operate("POST", `/organizations/${id}/api-keys`, { permissions: PRODUCTION_KEY })
  const access = { ...production, api_key: String(key["value"]) }
  for (let at = 0; at < ENDPOINTS; at += 1) {
    const hook = { url: `https://h${at}.endpoints.example/`, subscribed_events: HOOK_EVENTS }
    const { status } = await call(access, "POST", "/rs/v1/webhooks", hook)
    if (status !== 201) throw new Error(`an endpoint was refused: ${status}`)
  }
  return access
}

/** Signs up with the code of the mail, and gives the session's cookie. */
async function signedUp(stage: Stage): Promise<string> {
  const email = "mallory@stranger.example"
  const person = {
    email,
    password: "lemon tractor window",
    name: "Mallory Example",
    organization_name: "Strangers",
  }
  const asked = await portal(stage, "/sign-up", { cookie: "", body: person })
  const token = (asked.data as { sign_up_token?: string }).sign_up_token
  for (const endMs = Date.now() + MINUTE_MS; Date.now() < endMs; await after(100)) {
    const last = stage.mail.received.findLast(({ to }) => to.includes(`<${email}>`))
    const code = /code is (\d{6})/.exec((last?.data ?? "").replaceAll("=\r\n", ""))?.[1]
    if (code === undefined) continue
    const verified = await portal(stage, "/sign-up/verify", {
      cookie: "",
      body: { sign_up_token: token, code },
    })
    if (verified.cookie !== "") return verified.cookie
  }
  throw new Error("the sign-up got no mail")
}

interface PortalAnswer {
  readonly status: number
  readonly data: unknown
  readonly cookie: string
}

async function portal(
  { service }: Stage,
  path: string,
  { cookie, body }: { readonly cookie: string; readonly body: object },
): Promise<PortalAnswer> {
  const answer = await fetch(`${service.urls.production}/portal/api${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-curbline-portal": "1",
      ...(cookie === "" ? {} : { cookie }),
    },
    body: JSON.stringify(body),
  })
  const session = answer.headers.getSetCookie().find((one) => one.startsWith("curbline_session="))
  const { data = {} } = (await answer.json()) as { data?: unknown }
  return { status: answer.status, data, cookie: session?.split(";")[0] ?? "" }
}
