/**
 * Rows for the groups of a journal, which has ids and no personal data. What a journal has is taken from it (zone, stall, window,
 * vehicle, states); names, phone numbers, addresses, places, URLs and secrets are invented.
 */

import { Cause, Exit } from "effect"
import { idOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../model/webhook.ts"
import type { EventType, WebhookArea } from "../../model/webhook.ts"
import { HOUR_MS, MINUTE_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Facts, Start } from "../../../machines/contracts.ts"
import type { Group } from "../../engine/kernel/group.ts"
import type { TurnInput } from "../../engine/kernel/journal.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { actorAt, rootOf } from "../../engine/services/actors.ts"
import type { Place } from "../../model/place.ts"
import type { Columns, NewRow } from "../../engine/services/tables/columns.ts"
import type { NewRowOf, Table } from "../../engine/services/tables/table.ts"
import type { CatalogRetailer, CatalogSite, CatalogZone } from "../../areas/catalog/rows.ts"
import { BEFORE_BOOKING, courierOrders, courierPayments } from "../../areas/courier/rows.ts"
import type { CourierDetails } from "../../areas/courier/rows.ts"
import { COURIER_ORGANIZATION } from "../../areas/courier/announcements.ts"
import { DEMO_STORES } from "../../areas/courier/directory/demo-stores.ts"
import { STORE_PREFIX } from "../../areas/courier/directory/store-directory.ts"
import { seenIn } from "../../areas/courier/errand.ts"
import { deliveryStatus } from "../../areas/direct-delivery/record.ts"
import { deliveries } from "../../areas/direct-delivery/rows.ts"
import type { DeliverySite } from "../../areas/direct-delivery/rows.ts"
import {
  DELIVERY_SITE_ID,
  FLEET_ID,
  SCENARIO_ORGANIZATION,
  deliverySiteOf,
  placeAt,
} from "../scenario/language/delivery-world.ts"
import { fleetSettings } from "../../areas/dispatch/fleet-settings.ts"
import { vehicleFixes, vehicles } from "../../areas/dispatch/rows.ts"
import type { VehicleRow } from "../../areas/dispatch/rows.ts"
import { openLinkBody } from "../../areas/reservations/open-links.ts"
import { openLinkBodies, reservations } from "../../areas/reservations/rows.ts"
import type { ReservationRow } from "../../areas/reservations/rows.ts"
import { webhookBodies, webhookDeliveries, webhookEndpoints } from "../../areas/webhooks/store.ts"
import type { MemoryHost } from "../../engine/memory/memory-host.ts"
import { memoryRowsOf, memoryTablesOf } from "../../engine/memory/memory-tables.ts"
import { openLinkUrlOf } from "../scenario/request-bodies.ts"
import type { World } from "../scenario/language/worlds.ts"
import type { Journal } from "./journal.ts"
import { eventIdOf, sendingsOf } from "./sendings.ts"
import type { EventOrigin } from "./sendings.ts"

/** What the rows of a journal have in common. */
export interface Inventing {
  readonly environment: Environment
  /** The name by which steps know a group. */
  readonly nameByGroup: ReadonlyMap<GroupAddress, string>
  readonly organizations: Organizations
  /** The fleet of the first vehicle; the scenario's own without one. */
  readonly fleetId: string
}

/** Printed with every fork, so that no reader takes an invented value for a recorded one. */
export const INVENTED =
  "invented, because a journal has no personal data: names, phones, order numbers, addresses, places, URLs, secrets"

/** The site of the bookings in a journal: zones, stalls and retailers as its decisions saw them. */
export function worldIn({ turns }: Journal): World {
  const zoneById = new Map<
    string,
    { hasRunner: boolean; stalls: Map<string, string>; retailers: Set<string> }
  >()
  for (const { input } of turns) {
    if (input.start === undefined || kindOf(input.to) !== "reservation") continue
    const { zoneId, retailerId, hasRunner } = input.start.input as Start<"reservation@1">["input"]
    const zone = zoneById.get(zoneId) ?? { hasRunner, stalls: new Map(), retailers: new Set() }
    zoneById.set(zoneId, zone)
    zone.retailers.add(retailerId)
    const facts = input.facts as Facts<"book@1"> | null
    for (const { stallId, label } of facts?.stalls ?? []) zone.stalls.set(stallId, label ?? stallId)
  }
  const zones = [...zoneById].map(([zoneId, { hasRunner, stalls, retailers }]): CatalogZone => ({
    zoneId,
    name: "A zone of the journal",
    latitude: null,
    longitude: null,
    hasRunner,
    stalls: [...stalls].map(([stallId, label]) => ({ stallId, label, isActive: true })),
    retailers: [...retailers].map(retailerOf),
  }))
  const site: CatalogSite = {
    siteId: "5ce4a210-0000-4000-8000-000000000002",
    name: "The site of the journal",
    timezone: "America/Chicago",
    zones,
  }
  const [first] = zones
  return {
    sites: zones.length === 0 ? [] : [site],
    zoneId: first?.zoneId ?? "zone_unknown",
    retailerId: first?.retailers[0]?.retailerId ?? "retailer_unknown",
  }
}

function retailerOf(retailerId: string): CatalogRetailer {
  return {
    retailerId,
    name: "A retailer of the journal",
    logoUrl: null,
    supportPhone: null,
    pickupRequirements: null,
    grantedTo: [SCENARIO_ORGANIZATION],
  }
}

/** The store of the deliveries in a journal. */
export function deliverySitesIn({ environment, fleetId }: Inventing): readonly DeliverySite[] {
  return [{ ...deliverySiteOf({ fields: {}, vehicles: [] }, environment), fleetId }]
}

/**
 * Which organization a reservation, a delivery or an endpoint belongs to: those that share a delivery of a webhook belong
 * together. The journal does not name organizations, so one of them is the scenario's own.
 */
export class Organizations {
  readonly #parent = new Map<string, string>()
  readonly #own = new Set<string>()
  readonly typesByEndpoint = new Map<string, Set<EventType>>()
  readonly areaByEndpoint = new Map<string, WebhookArea>()
  readonly #published = new Set<EventType>()
  readonly #announcing = new Set<GroupAddress>()

  constructor(journal: Journal, named: Iterable<GroupAddress>) {
    const { published } = sendingsOf(journal, journal.turns.length)
    for (const { input, result } of journal.turns) {
      for (const { event } of result.emissions) {
        this.#published.add(event as EventType)
        this.#announcing.add(result.group.address)
      }
      const kind = kindOf(input.to)
      if (kind === "webhook-endpoint") this.areaByEndpoint.set(idOf(input.to), "direct_delivery")
      if (input.start === undefined || kind !== "webhook-delivery") continue
      const { endpointId, eventId, isCounted } = input.start.input as Start<"webhook-delivery@2">["input"]
      this.areaByEndpoint.set(endpointId, isCounted === true ? "direct_delivery" : "reservations")
      const origin = published.originOf(eventId)
      if (origin === null) continue
      const types = this.typesByEndpoint.get(endpointId) ?? new Set()
      this.typesByEndpoint.set(endpointId, types.add(origin.eventType))
      this.#join(`endpoint ${endpointId}`, origin.subject)
    }
    const chosen = [...named].map((group) =>
      this.#root(kindOf(group) === "webhook-endpoint" ? `endpoint ${idOf(group)}` : group),
    )
    const [first = ""] = [...this.areaByEndpoint.keys()].map((id) => this.#root(`endpoint ${id}`))
    for (const root of chosen.length === 0 ? [first] : chosen) this.#own.add(root)
  }

  of(node: string): string {
    const root = this.#root(node)
    // A group that announced nothing shows no organization; one that did, and that no endpoint heard, has none of these.
    const isSilent = !this.#announcing.has(node) && !node.startsWith("endpoint ")
    if (this.#own.has(root) || isSilent) return SCENARIO_ORGANIZATION
    return `org_${root.replace(/[^A-Za-z0-9]/g, "_")}`
  }

  /** Types that it got, and types that nothing in the journal published. */
  subscriptionsOf(endpointId: string): readonly EventType[] {
    const known: readonly EventType[] =
      this.areaByEndpoint.get(endpointId) === "direct_delivery" ? PICKUP_EVENT_TYPES : EVENT_TYPES
    const heard = this.typesByEndpoint.get(endpointId) ?? new Set()
    return known.filter((type) => heard.has(type) || !this.#published.has(type))
  }

  #root(node: string): string {
    let at = node
    for (let up = this.#parent.get(at); up !== undefined; up = this.#parent.get(at)) at = up
    return at
  }

  #join(one: string, other: string): void {
    const [a, b] = [this.#root(one), this.#root(other)]
    if (a !== b) this.#parent.set(b, a)
  }
}

/** The start of a group as a journal has it. */
interface Started {
  readonly input: TurnInput
  readonly group: Group
}

/** Writes the rows of a group that starts. Inside a transaction. */
export function inventRows(host: MemoryHost, inventing: Inventing, started: Started): void {
  const { input, group } = started
  switch (kindOf(group.address)) {
    case "reservation":
      return inventReservation(host, inventing, started)
    case "delivery":
      return inventDelivery(host, inventing, started)
    case "courier-order":
      return inventErrand(host, inventing, started)
    case "vehicle":
      return inventVehicle(host, inventing, group, input.instantMs)
    case "webhook-delivery":
      return inventSending(host, input, null)
    default:
  }
}

/** Writes one row, unless its key is there. */
function put<C extends Columns, Key extends keyof C & string>(
  host: MemoryHost,
  table: Table<C, Key>,
  row: NewRow<C>,
): void {
  const ended = host.answer(memoryTablesOf(host.store).of(table).insertOrIgnore(row))
  if (Exit.isFailure(ended)) throw Cause.squash(ended.cause)
}

function inventReservation(
  host: MemoryHost,
  { environment, nameByGroup, organizations }: Inventing,
  { input, group }: Started,
): void {
  const root = actorAt("reservation", group.actors, group.address)
  if (root === null || input.start === undefined) return
  const { zoneId, retailerId, payloadLimit } = input.start.input as Start<"reservation@1">["input"]
  const { stallId, startsAtMs, endsAtMs } = root.context
  const facts = input.facts as Facts<"book@1"> | null
  const reservationId = idOf(group.address)
  const name = nameByGroup.get(group.address) ?? reservationId
  putReservation(host, {
    reservationId,
    organizationId: organizations.of(group.address),
    environment,
    zoneId,
    retailerId,
    stallId,
    stallLabel: facts?.stalls.find((stall) => stall.stallId === stallId)?.label ?? null,
    openLinkUrl: openLinkUrlOf(name),
    payloadLimit:
      payloadLimit === null
        ? null
        : { max_weight_kg: payloadLimit.maxWeightKg, max_dimensions_cm: payloadLimit.maxDimensionsCm },
    createdAtMs: input.instantMs,
    startsAtMs,
    endsAtMs,
    updatedAtMs: group.instantMs,
  })
}

/** The columns of a reservation that are not invented. */
export type KnownReservation = Pick<
  ReservationRow,
  | "createdAtMs"
  | "endsAtMs"
  | "environment"
  | "openLinkUrl"
  | "organizationId"
  | "payloadLimit"
  | "reservationId"
  | "retailerId"
  | "stallId"
  | "stallLabel"
  | "startsAtMs"
  | "updatedAtMs"
  | "zoneId"
>

/** Writes the row of a reservation; what the observers project has any value. */
export function putReservation(host: MemoryHost, known: KnownReservation): void {
  put(host, reservations, {
    ...known,
    orderNumber: "invented",
    endUserName: "Invented Customer",
    endUserPhone: PHONE,
    retailerPickupRef: null,
    cancelReason: null,
    botLabel: null,
    exceptionMessages: {},
    idempotencyKey: null,
    comparison: "",
    status: "confirmed",
    taskStagingAtMs: null,
  })
}

/** North American numbers 555-0100 to 555-0199 are reserved for fiction. */
const PHONE = "+15125550100"

const ADDRESS = { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" }

/** What is known of a delivery without its row. */
export type KnownDelivery = Pick<
  NewRowOf<typeof deliveries>,
  | "createdAtMs"
  | "deliveryEtaMs"
  | "deliveryId"
  | "environment"
  | "externalDeliveryId"
  | "fleetId"
  | "organizationId"
  | "pickupEtaMs"
  | "place"
  | "readyByMs"
  | "siteId"
  | "storePlace"
>

/** Writes the row of a delivery; what the machines know is taken from its group. */
export function putDelivery(host: MemoryHost, known: KnownDelivery, group: Group): void {
  const { context } = rootOf("delivery", group)
  const isErrand = context.siteId.startsWith(STORE_PREFIX)
  put(host, deliveries, {
    comparison: "",
    feeCents: 799,
    currency: "USD",
    customer: { first_name: null, last_name: null, email: null, phone: isErrand ? "" : PHONE },
    address: { ...ADDRESS, unit: null },
    items: [],
    pickupInstructions: null,
    cancellationReason: null,
    toldFix: null,
    status: deliveryStatus(group.actors, group.address),
    vehicleId: context.vehicleId,
    completedAtMs: context.completedAtMs,
    cancelledAtMs: context.cancelledAtMs,
    updatedAtMs: group.instantMs,
    atStoreAtMs: null,
    ...known,
  })
}

function inventDelivery(
  host: MemoryHost,
  { environment, nameByGroup, organizations, fleetId }: Inventing,
  { input, group }: Started,
): void {
  const { context } = rootOf("delivery", group)
  const deliveryId = idOf(group.address)
  const isErrand = context.siteId.startsWith(STORE_PREFIX)
  const known: KnownDelivery = {
    deliveryId,
    siteId: isErrand ? context.siteId : DELIVERY_SITE_ID,
    organizationId: isErrand ? COURIER_ORGANIZATION : organizations.of(group.address),
    environment,
    fleetId,
    externalDeliveryId: nameByGroup.get(group.address) ?? deliveryId,
    pickupEtaMs: input.instantMs + 20 * MINUTE_MS,
    deliveryEtaMs: input.instantMs + 40 * MINUTE_MS,
    readyByMs: input.instantMs + 10 * MINUTE_MS,
    place: placeAt({ north: 2_000 }),
    storePlace: isErrand ? placeAt({}) : null,
    createdAtMs: input.instantMs,
  }
  putDelivery(host, known, group)
}

/** What is known of an errand without its row. */
export type KnownErrand = Pick<
  NewRowOf<typeof courierOrders>,
  "createdAtMs" | "deliveryId" | "fleetId" | "userId"
> & { readonly details: Partial<CourierDetails> & Pick<CourierDetails, "dropoffPlace" | "storePlace"> }

/** Writes the rows of an errand and of its payment; the card that is being tried is a good one. */
export function putErrand(host: MemoryHost, { details, ...known }: KnownErrand, group: Group): void {
  const seen = seenIn(group)
  if (seen === null) return
  const { order, phase, paymentStatus } = seen
  const { deliveryId, createdAtMs } = known
  const window = { startMs: createdAtMs, endMs: createdAtMs + HOUR_MS, slot: null }
  put(host, courierOrders, {
    ...known,
    details: {
      retailerName: "A store of the journal",
      storeAddress: ADDRESS,
      storeUrl: null,
      hours: null,
      kitchenStarts: null,
      leadTimeMs: 20 * MINUTE_MS,
      stallHint: null,
      dropoffAddress: ADDRESS,
      dropoffNotes: null,
      timing: { type: "asap" },
      slots: [],
      itemCount: null,
      windows: [window],
      customer: { firstName: "Invented", lastName: "Customer" },
      contact: { phone: PHONE, email: null },
      ...BEFORE_BOOKING,
      restrictedItems: [],
      ...details,
    },
    phase,
    paymentStatus,
    holdEndsAtMs: order.holdEndsAtMs,
    updatedAtMs: group.instantMs,
    endedAtMs: order.endedAtMs,
  })
  put(host, courierPayments, {
    deliveryId,
    credentialNo: 1,
    credential: order.isAuthorized ? null : "spt_ok",
    authorizationId: order.isAuthorized ? `auth_ok_${deliveryId}` : null,
    failure: null,
  })
}

function inventErrand(host: MemoryHost, { fleetId }: Inventing, { input, group }: Started): void {
  const seen = seenIn(group)
  if (seen === null) return
  const deliveryId = idOf(group.address)
  const store = DEMO_STORES.find(({ storeId }) => storeId === seen.order.storeId) ?? DEMO_STORES[0]
  const details = {
    storePlace: placeAt({}),
    dropoffPlace: placeAt({ north: 2_000 }),
    ...(store === undefined
      ? {}
      : { retailerName: store.name, hours: store.hours, leadTimeMs: store.leadTimeMs }),
  }
  const userId = `user_${deliveryId}`
  putErrand(host, { deliveryId, userId, fleetId, details, createdAtMs: input.instantMs }, group)
}

function inventVehicle(host: MemoryHost, { environment }: Inventing, group: Group, atMs: EpochMs): void {
  const { fleetId, isSynthetic, isOnline } = rootOf("vehicle", group).context
  const vehicleId = idOf(group.address)
  const label = vehicleId.replace(/^veh_/, "")
  putVehicle(
    host,
    { vehicleId, fleetId, environment, label, isSynthetic, isOnline },
    { ...placeAt({ north: 1_000 }), atMs },
  )
  put(host, fleetSettings, {
    environment,
    fleetId,
    openUrl: "https://fleet.partner.example/open",
    openSecret: null,
    instruction: null,
    updatedAtMs: atMs,
  })
}

/** Writes the row of a vehicle, and where it was last. */
export function putVehicle(
  host: MemoryHost,
  vehicle: VehicleRow,
  { latitude, longitude, atMs }: Place & { readonly atMs: EpochMs },
): void {
  put(host, vehicles, vehicle)
  put(host, vehicleFixes, {
    vehicleId: vehicle.vehicleId,
    deliveryId: null,
    latitude,
    longitude,
    recordedAtMs: atMs,
    receivedAtMs: atMs,
    speedMps: null,
    load: null,
    batteryPercent: null,
    sequence: null,
  })
}

/** The URL of an endpoint, by which the world of a scenario answers. */
export function endpointUrl({ nameByGroup }: Inventing, endpointId: string): string {
  return `https://hooks.partner.example/${nameByGroup.get(`webhook-endpoint/${endpointId}`) ?? endpointId}`
}

export const ENDPOINT_SECRET = `whsec_${"0".repeat(48)}`

/** Rows that exist at the moment besides those of starts: endpoints, what is being sent to them, and open links. */
export function inventRest(host: MemoryHost, inventing: Inventing, journal: Journal): void {
  const { environment, organizations } = inventing
  for (const [webhookId, area] of organizations.areaByEndpoint) {
    put(host, webhookEndpoints, {
      webhookId,
      organizationId: organizations.of(`endpoint ${webhookId}`),
      environment,
      area,
      siteId: null,
      url: endpointUrl(inventing, webhookId),
      subscribedEvents: organizations.subscriptionsOf(webhookId),
      isActive: true,
      secret: ENDPOINT_SECRET,
      consecutiveFailures: 0,
      disabledAtMs: null,
      disabledReason: null,
      createdAtMs: journal.clock0Ms,
      updatedAtMs: journal.clock0Ms,
    })
  }
  const { published } = sendingsOf(journal, journal.kept)
  for (const { input } of journal.turns.slice(0, journal.kept)) {
    if (input.start === undefined || kindOf(input.to) !== "webhook-delivery") continue
    inventSending(host, input, published.originOf(eventIdOf(input.start)))
  }
  putOpenLinkBodies(host, journal.atMs)
}

/** The bodies of open links that were called: their calls and retries send these bytes. */
export function putOpenLinkBodies(host: MemoryHost, atMs: EpochMs): void {
  for (const { address, actors } of host.groups.all()) {
    const row = memoryRowsOf(host.store, reservations).get(idOf(address))
    for (const [actor, { machine }] of actors) {
      if (row === null || !machine.startsWith("open-link@")) continue
      const body = openLinkBody({ row, actor, atMs })
      put(host, openLinkBodies, { actor, reservationId: row.reservationId, body })
    }
  }
}

/** A delivery of an event, with a body of its own. `origin`: null for an event that no turn published. */
function inventSending(
  host: MemoryHost,
  { to, start, instantMs }: TurnInput,
  origin: EventOrigin | null,
): void {
  if (start === undefined) return
  const { endpointId, eventId, isCounted } = start.input as Start<"webhook-delivery@2">["input"]
  const unknown = isCounted === true ? "pickup.vehicle_location.changed" : "webhook.test"
  const eventType = origin?.eventType ?? unknown
  const subjectId = origin === null ? "unknown" : idOf(origin.subject)
  const body = JSON.stringify({ event_id: eventId, event_type: eventType, data: "invented" })
  put(host, webhookBodies, { eventId, eventType, subjectId, body, createdAtMs: instantMs })
  put(host, webhookDeliveries, {
    deliveryId: idOf(to),
    webhookId: endpointId,
    eventId,
    subjectId,
    redeliveryOf: null,
    redeliveredAtMs: null,
  })
}

/** The fleet of a journal's vehicles. */
export function fleetIn({ turns }: Journal): string {
  const start = turns.find(({ input }) => input.start !== undefined && kindOf(input.to) === "vehicle")
  return (start?.input.start?.input["fleetId"] as string | undefined) ?? FLEET_ID
}

/** The first turn of each group up to the moment. */
export function startsIn({
  turns,
  kept,
}: Journal): readonly { readonly input: TurnInput; readonly result: TurnResult }[] {
  const seen = new Set<GroupAddress>()
  return turns.slice(0, kept).filter(({ input, result: { group } }) => {
    if (input.start === undefined || seen.has(group.address)) return false
    seen.add(group.address)
    return true
  })
}
