/**
 * `curbline trigger`: makes an event happen in the sandbox, by the calls that a partner's program would make. It books a test reservation, or
 * orders a test delivery, and advances it until the event is in the sandbox's list of events.
 */

import { randomUUID } from "node:crypto"
import { LOCAL_OPEN_LINK, OPEN_LINK } from "../../live/demo/demo.ts"
import { EXCEPTION_CODES } from "../../model/handoff.ts"
import { MINUTE_MS } from "../../model/values/time.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../model/webhook.ts"
import type { PickupEventType, ReservationEventType } from "../../model/webhook.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { HostAway, HostRefused, partnerHost, refusalText } from "./partner-host.ts"
import type { PartnerCall, PartnerData, PartnerFlags, PartnerHost } from "./partner-host.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err, out } from "../kit/terminal.ts"

export interface TriggerFlags extends PartnerFlags {
  readonly site?: string
  readonly reason?: string
  readonly to?: string
}

type TriggeredType = PickupEventType | ReservationEventType

/** What makes each event happen. */
const WAYS: Readonly<Record<TriggeredType, string>> = {
  "reservation.status_changed": "books a reservation",
  "reservation.handoff_updated": "books a reservation and advances it until the runner reaches a milestone",
  "reservation.exception": "books a reservation and raises an exception on it; --reason says which",
  "pickup_status.changed": "orders a delivery and advances it by one status",
  "pickup.vehicle_location.changed":
    "orders a delivery and advances it until its vehicle has another position",
}

/** More steps than any course has. */
const STEPS_MAX = 12
/** How far ahead a free arrival window is looked for. */
const WINDOWS_MAX = 40
const WINDOW_MS = 30 * MINUTE_MS
const DEFAULT_REASON = "runner_delayed"

/** Prints the id of the event on stdout; without a name, the names. */
export async function triggerCommand(name: string | undefined, flags: TriggerFlags): Promise<ExitStatus> {
  const names = [...EVENT_TYPES, ...PICKUP_EVENT_TYPES]
  if (name === undefined) {
    const width = Math.max(...names.map(({ length }) => length))
    for (const one of names) out(`${one.padEnd(width)}  ${WAYS[one]}`)
    return EXIT.passed
  }
  const type = names.find((one) => one === name)
  if (type === undefined) throw new UsageError(`there is no event "${name}"; there are ${names.join(", ")}`)
  const wanted = wantedBy(flags, type)
  const host = await partnerHost(flags, { isSandbox: true })
  try {
    out(await triggered(host, type, wanted))
    return EXIT.passed
  } catch (cause) {
    if (!(cause instanceof HostRefused || cause instanceof HostAway || cause instanceof NotTriggered))
      throw cause
    err(`error: ${cause instanceof HostRefused ? refusalText(host, cause) : cause.message}`)
    return EXIT.failed
  }
}

/** The sandbox did not bring the event about. */
class NotTriggered extends Error {}

interface Wanted {
  readonly reason: string
  readonly site: string | null
  readonly to: { readonly latitude: number; readonly longitude: number } | null
}

function wantedBy({ reason = DEFAULT_REASON, site, to }: TriggerFlags, type: TriggeredType): Wanted {
  if (!(EXCEPTION_CODES as readonly string[]).includes(reason))
    throw new UsageError(`there is no reason "${reason}"; there are ${EXCEPTION_CODES.join(", ")}`)
  if (reason !== DEFAULT_REASON && type !== "reservation.exception")
    throw new UsageError("--reason is for reservation.exception")
  if (to === undefined) return { reason, site: site ?? null, to: null }
  const [latitude, longitude] = to.split(",").map(Number)
  const isPlace = Math.abs(latitude ?? Number.NaN) <= 90 && Math.abs(longitude ?? Number.NaN) <= 180
  if (!isPlace || latitude === undefined || longitude === undefined || to.split(",").length !== 2)
    throw new UsageError(`--to ${to} must be LATITUDE,LONGITUDE in degrees, such as 30.41,-97.72`)
  return { reason, site: site ?? null, to: { latitude, longitude } }
}

async function triggered(host: PartnerHost, type: TriggeredType, wanted: Wanted): Promise<string> {
  // The place in the list before anything happens. It also shows early what the key may not do.
  const { next_cursor: cursor } = await host.ask({ path: "/sandbox/v1/events?start=newest" })
  const course = type.startsWith("reservation.")
    ? await bookedReservation(host, type, wanted)
    : await orderedDelivery(host, wanted)
  const watched = { cursor, type, isOfCourse: course.isIn }
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const found = await findEvent(host, watched)
    if (found !== null) return found
    await course.step()
  }
  throw new NotTriggered(`${course.name} took all its steps without ${type}`)
}

/** A reservation or delivery that is led towards the event. */
interface Course {
  readonly name: string
  /** True for the body of one of its events. */
  readonly isIn: (body: PartnerData) => boolean
  readonly step: () => Promise<void>
}

interface Watched {
  readonly cursor: string
  readonly type: TriggeredType
  readonly isOfCourse: (body: PartnerData) => boolean
}

/** The id of the first event of this type and course behind the cursor. */
async function findEvent(
  host: PartnerHost,
  { cursor: from, type, isOfCourse }: Watched,
): Promise<string | null> {
  for (let cursor = from; ;) {
    const path = `/sandbox/v1/events?cursor=${encodeURIComponent(cursor)}&limit=100`
    const page = await host.ask({ path })
    const found = (page.events as readonly PartnerData[]).find(
      (event) => event.type === type && isOfCourse(JSON.parse(event.body as string)),
    )
    if (found !== undefined) return String(found.event_id)
    if (page.has_more !== true) return null
    cursor = page.next_cursor as string
  }
}

async function bookedReservation(
  host: PartnerHost,
  type: TriggeredType,
  { reason }: Wanted,
): Promise<Course> {
  const { sites } = await host.ask({ path: "/rs/v1/retailers" })
  const [place] = (sites as readonly PartnerData[]).flatMap(({ zones }) =>
    (zones as readonly PartnerData[]).flatMap(({ zone_id, retailers: [retailer] }) =>
      retailer === undefined ? [] : [{ zone_id, retailer_id: retailer.retailer_id as string }],
    ),
  )
  if (place === undefined) throw new NotTriggered("the organization may book no zone of the sandbox")
  const id = await bookIn(host, place)
  const name = `reservation ${id}`
  err(`booked ${name}`)
  const advance = `/rs/v1/reservations/${id}/advance`
  return {
    name,
    isIn: ({ data }) => data?.reservation?.reservation_id === id,
    step: async () => {
      if (type !== "reservation.exception") return void (await host.ask({ method: "POST", path: advance }))
      try {
        await host.ask({ path: advance, body: { reason_code: reason } })
      } catch (cause) {
        // The exception needs a runner who is further on.
        if (!(cause instanceof HostRefused) || cause.code !== "INVALID_STATE") throw cause
        await host.ask({ method: "POST", path: advance })
      }
    },
  }
}

/** In the first window that has a free stall, by the organization's clock. */
async function bookIn(host: PartnerHost, place: object): Promise<string> {
  const nowMs = await sandboxNowMs(host)
  const links = /\/\/(?:localhost|127\.|\[::1\])/.test(host.url) ? [LOCAL_OPEN_LINK, OPEN_LINK] : [OPEN_LINK]
  let refusal: HostRefused | null = null
  for (const open_link_url of links) {
    for (let window = 1; window <= WINDOWS_MAX; window += 1) {
      const startMs = nowMs + window * WINDOW_MS
      const body = {
        ...place,
        open_link_url,
        order_number: `test-${randomUUID().slice(0, 8)}`,
        end_user_name: "Test",
        end_user_phone: "+15125550100",
        arrival_window_start: new Date(startMs).toISOString(),
        arrival_window_end: new Date(startMs + WINDOW_MS).toISOString(),
      }
      try {
        const { reservation } = await host.ask({ path: "/rs/v1/reservations", body })
        return String(reservation.reservation_id)
      } catch (cause) {
        if (!(cause instanceof HostRefused)) throw cause
        refusal = cause
        if (cause.code === "INVALID_OPEN_LINK") break
        if (cause.status !== 409) throw cause
      }
    }
  }
  throw refusal ?? new NotTriggered("no reservation was booked")
}

/** Real time for a key that may not read the sandbox's clock. */
async function sandboxNowMs(host: PartnerHost): Promise<number> {
  try {
    const { clock } = await host.ask({ path: "/sandbox/v1/clock" })
    return Date.parse(clock.now as string)
  } catch (cause) {
    if (cause instanceof HostRefused && cause.code === "PERMISSION_DENIED") return Date.now()
    throw cause
  }
}

async function orderedDelivery(host: PartnerHost, { site, to }: Wanted): Promise<Course> {
  const siteId = site ?? host.siteId ?? process.env["CURBLINE_SITE_ID"] ?? ""
  if (siteId === "")
    throw new UsageError("a delivery starts at a site: name its UUID with --site, or set CURBLINE_SITE_ID")
  const ask = (call: PartnerCall): Promise<PartnerData> =>
    host.ask({ ...call, headers: { "x-retailer-id": siteId } })
  const id = `${OWN_PREFIX}${randomUUID().slice(0, 8)}`
  const quote = {
    external_delivery_id: id,
    customer: { phone: "+15125550123" },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    ...(to === null ? {} : { delivery_location: to }),
    ready_by: new Date((await sandboxNowMs(host)) + 20 * MINUTE_MS).toISOString(),
    order_items: [{ name: "Test", quantity: 1 }],
  }
  const quoting = { path: "/dd/v1/deliveries/quote", body: quote }
  let quoted = await ask(quoting)
  if (quoted.unavailable_reason === "NO_CAPACITY" && (await cancelOwn(ask))) quoted = await ask(quoting)
  if (quoted.available !== true)
    throw new NotTriggered(unavailable(siteId, String(quoted.unavailable_reason)))
  await ask({ path: "/dd/v1/deliveries", body: { external_delivery_id: id } })
  const name = `delivery ${id}`
  err(`ordered ${name}`)
  return {
    name,
    isIn: ({ data }) => data?.external_delivery_id === id,
    step: async () => void (await ask({ method: "POST", path: `/dd/v1/deliveries/${id}/advance` })),
  }
}

/** Deliveries that this command orders. */
const OWN_PREFIX = "trigger-"

/** Cancels deliveries of earlier calls that still keep a vehicle. Returns false if there is none. */
async function cancelOwn(ask: PartnerHost["ask"]): Promise<boolean> {
  const listed = (await ask({ path: "/dd/v1/deliveries?limit=100" })) as readonly PartnerData[]
  const own = listed.filter(
    ({ external_delivery_id: id, status }) =>
      String(id).startsWith(OWN_PREFIX) && !["CANCELLED", "COMPLETED"].includes(String(status)),
  )
  for (const { external_delivery_id: id } of own) {
    err(`cancels delivery ${String(id)} of an earlier call, because every vehicle was busy`)
    await ask({ method: "PATCH", path: `/dd/v1/deliveries/${String(id)}`, body: { status: "CANCELLED" } })
  }
  return own.length > 0
}

function unavailable(siteId: string, reason: string): string {
  const hints: Readonly<Record<string, string>> = {
    NO_CAPACITY: "; complete or cancel deliveries that keep its vehicles",
    OUT_OF_SERVICE_AREA: "; name a place in its area with --to LATITUDE,LONGITUDE",
  }
  return `the site ${siteId} cannot deliver: ${reason}${hints[reason] ?? ""}`
}
