/**
 * `curbline listen`: forwards the sandbox's events to a receiver on this machine, as webhooks with a secret of their own. It continues after
 * the last forwarded event after a lost connection, and holds events while the receiver cannot be reached.
 */

import { randomBytes, randomUUID } from "node:crypto"
import { isIPv4 } from "node:net"
import { setTimeout as after } from "node:timers/promises"
import { POLICIES } from "../../areas/webhooks/webhook-policy.ts"
import { WEBHOOK_TIMEOUT_MS } from "../../model/values/limits.ts"
import { SECOND_MS } from "../../model/values/time.ts"
import type { EventType, WebhookArea } from "../../model/webhook.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { HostAway, HostRefused, nextFrom, partnerHost, reasonOf, refusalText } from "./partner-host.ts"
import type { PartnerFlags, PartnerHost } from "./partner-host.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err, out } from "../kit/terminal.ts"

export interface ListenFlags extends PartnerFlags {
  readonly forwardTo: string
  readonly allowRemote?: boolean
}

/** An event as the host lists it. */
interface ListedEvent {
  readonly event_id: string
  readonly type: EventType
  readonly api: WebhookArea
  readonly body: string
}

interface Page {
  readonly apis: readonly WebhookArea[]
  readonly events: readonly ListedEvent[]
  readonly next_cursor: string
}

/** Runs until Ctrl-C, or until the host refuses. */
export async function listenCommand(flags: ListenFlags): Promise<ExitStatus> {
  const target = targetOf(flags)
  const host = await partnerHost(flags, { isSandbox: true })
  const secret = secretOf(process.env["CURBLINE_LISTEN_SECRET"])
  try {
    const first = (await host.ask({ path: "/sandbox/v1/events?start=newest" })) as Page
    if (first.apis.length === 0) {
      err(
        "error: the key may read no events: it needs deliveries:read or reservations:read beside events:read",
      )
      return EXIT.failed
    }
    for (const [api, permission] of READING)
      if (!first.apis.includes(api))
        err(`without ${permission} the key does not see the events of ${NAMES[api]}`)
    out(`signing secret: ${secret}`)
    err(`forwarding events of ${host.url} to ${target.href}; end with Ctrl-C`)
    return await forwardFrom({ host, target, secret }, first.next_cursor)
  } catch (cause) {
    if (!(cause instanceof HostRefused || cause instanceof HostAway)) throw cause
    err(`error: ${cause instanceof HostRefused ? refusalText(host, cause) : cause.message}`)
    return EXIT.failed
  }
}

const NAMES: Readonly<Record<WebhookArea, string>> = {
  direct_delivery: "deliveries",
  reservations: "reservations",
}

const READING = [
  ["direct_delivery", "deliveries:read"],
  ["reservations", "reservations:read"],
] as const

/** Refuses addresses of other machines unless they are allowed. */
function targetOf({ forwardTo, allowRemote = false }: ListenFlags): URL {
  const url = URL.parse(forwardTo)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--forward-to ${forwardTo} is no URL; write it as http://localhost:3000/hooks`)
  if (url.username !== "" || url.password !== "")
    throw new UsageError("--forward-to must have no user name and no password")
  if (!allowRemote && !isLoopbackName(url.hostname))
    throw new UsageError(
      `--forward-to ${url.host} is not this machine; events may hold personal data: add --allow-remote to send them there`,
    )
  return url
}

/** `localhost` and the addresses of the loopback; `URL` has written addresses in their usual form. */
function isLoopbackName(hostname: string): boolean {
  if (hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]") return true
  return isIPv4(hostname) && hostname.startsWith("127.")
}

const SECRET = /^whsec_[0-9A-Za-z]{32,}$/

function secretOf(given: string | undefined): string {
  if (given === undefined || given === "") return `whsec_${randomBytes(24).toString("hex")}`
  if (SECRET.test(given)) return given
  throw new UsageError("CURBLINE_LISTEN_SECRET must be whsec_ and at least 32 letters and digits")
}

interface Forwarding {
  readonly host: PartnerHost
  readonly target: URL
  readonly secret: string
}

/** Ends only by a refusal that stays. */
async function forwardFrom(forwarding: Forwarding, from: string): Promise<never> {
  for (let cursor = from; ;) {
    const behind = `/sandbox/v1/events?cursor=${encodeURIComponent(cursor)}&limit=100`
    const page = (await nextFrom(forwarding.host, (wait) => ({ path: `${behind}&wait=${wait}` }))) as Page
    for (const event of page.events) await forward(forwarding, event)
    cursor = page.next_cursor
  }
}

/** One line for each event. While the receiver does not accept connections, the event waits. */
async function forward(forwarding: Forwarding, event: ListedEvent): Promise<void> {
  const deliveryId = randomUUID()
  for (let tries = 0; ; tries += 1) {
    const fromMs = performance.now()
    const sent = await sendOnce(forwarding, event, deliveryId)
    if (sent.type === "unreachable") {
      if (tries === 0)
        err(`${forwarding.target.href} does not answer: ${sent.reason}; ${event.event_id} waits for it`)
      await after(SECOND_MS)
      continue
    }
    const ms = Math.round(performance.now() - fromMs)
    out(`${event.type} ${event.event_id} ${sent.text} ${ms} ms`)
    return
  }
}

type Sent =
  | { readonly type: "answered"; readonly text: string }
  | { readonly type: "unreachable"; readonly reason: string }

async function sendOnce(
  { target, secret }: Forwarding,
  { api, body, event_id: eventId, type: eventType }: ListedEvent,
  deliveryId: string,
): Promise<Sent> {
  const atMs = Date.now()
  const event = { eventId, eventType, body, subjectId: "", createdAtMs: atMs }
  try {
    const response = await fetch(target, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "Curbline/1",
        "X-Service-Delivery-Id": deliveryId,
        ...POLICIES[api].headers(secret, event, atMs),
      },
      body: Buffer.from(body, "utf8"),
      redirect: "manual",
      signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    })
    await response.body?.cancel()
    const { status } = response
    return {
      type: "answered",
      text: status >= 300 && status < 400 ? `${status} (redirect, not followed)` : String(status),
    }
  } catch (cause) {
    if (cause instanceof Error && cause.name === "TimeoutError")
      return { type: "answered", text: `no answer within ${WEBHOOK_TIMEOUT_MS / SECOND_MS} s` }
    return { type: "unreachable", reason: reasonOf(cause) }
  }
}
