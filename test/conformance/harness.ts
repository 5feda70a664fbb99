/**
 * The requirements of the services' contract on a host, and common helpers of its tests: callers, bookings, commands,
 * and the events that a receiver got. Everything here uses only the services' tags and the harness, so that a host on
 * real time and a database can pass the same tests.
 */

import { Effect } from "effect"
import type { BotStatus } from "../../src/model/bot.ts"
import type { Operator, Partner, Permission } from "../../src/model/caller.ts"
import { PERMISSIONS } from "../../src/model/caller.ts"
import type { Refused, RefusalCode } from "../../src/model/values/errors.ts"
import type { HandoffStatus } from "../../src/model/handoff.ts"
import type { BotReportRequest, CreateReservationRequest } from "../../src/model/requests/requests.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import type { EpochMs } from "../../src/model/values/time.ts"
import { EVENT_TYPES } from "../../src/model/webhook.ts"
import { RunnerBoard } from "../../src/apps/operations/runner-board.ts"
import { WindowPolicy } from "../../src/apps/operations/window-policy.ts"
import { Analytics } from "../../src/areas/analytics/analytics.ts"
import type { SessionRows } from "../../src/areas/analytics/rows.ts"
import type { MeasuredSites } from "../../src/areas/analytics/sites.ts"
import type { ActorHost } from "../../src/engine/services/host.ts"
import type { ReservationEventType } from "../../src/model/webhook.ts"
import type { Charges } from "../../src/areas/direct-delivery/charges.ts"
import type { Compartments } from "../../src/areas/compartments/compartments.ts"
import type { FleetSettings } from "../../src/areas/dispatch/fleet-settings.ts"
import type { DirectDelivery } from "../../src/areas/direct-delivery/direct-delivery.ts"
import type { DeliveryRows } from "../../src/areas/direct-delivery/rows.ts"
import type { DeliveryOperations } from "../../src/areas/direct-delivery/delivery-operations.ts"
import type { Vehicles } from "../../src/areas/dispatch/vehicles.ts"
import type { InboundSms } from "../../src/areas/messages/inbound-sms.ts"
import type { MessageRows } from "../../src/areas/messages/rows.ts"
import { PLACEHOLDER_PHOTO } from "../../src/engine/services/photos/photo-files.ts"
import type { EnvironmentPolicy } from "../../src/engine/services/policies.ts"
import type { ReservationRecord } from "../../src/areas/reservations/record.ts"
import { Reservations } from "../../src/areas/reservations/reservations.ts"
import { OpenLinkSecrets } from "../../src/areas/reservations/open-link-secrets.ts"
import { ReservationRows } from "../../src/areas/reservations/rows.ts"
import type { Retention } from "../../src/engine/services/retention/retention.ts"
import type { WebhookStore } from "../../src/areas/webhooks/store.ts"
import type { CourierTags } from "./courier-world.ts"
import { RunnerTasks } from "../../src/areas/reservations/runner-tasks.ts"
import { SandboxWalk } from "../../src/areas/reservations/sandbox-walk.ts"
import type { GroupJournals } from "../../src/engine/services/group-journals.ts"
import { Webhooks } from "../../src/areas/webhooks/webhooks.ts"
import type { WebhookLog } from "../../src/areas/webhooks/webhook-log.ts"
import type { PickupWebhooks, WebhookRecord } from "../../src/areas/webhooks/webhooks.ts"

export type ServiceTags =
  | GroupJournals
  | ActorHost
  | Analytics
  | Charges
  | Compartments
  | DeliveryRows
  | CourierTags
  | DirectDelivery
  | FleetSettings
  | InboundSms
  | MeasuredSites
  | MessageRows
  | OpenLinkSecrets
  | PickupWebhooks
  | ReservationRows
  | Reservations
  | Retention
  | RunnerBoard
  | RunnerTasks
  | SandboxWalk
  | SessionRows
  | DeliveryOperations
  | Vehicles
  | WebhookLog
  | WebhookStore
  | Webhooks
  | WindowPolicy

/** A request as a partner's endpoint received it. Header names are as sent. */
export interface Received {
  readonly url: string
  readonly atMs: EpochMs
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How an endpoint answers one request; `afterMs` is how long it takes. */
export type EndpointAnswer =
  | { readonly type: "status"; readonly status: number; readonly afterMs: number }
  | { readonly type: "timeout" }
  | { readonly type: "refused" }

export type BrokenHost = "private" | "unknown" | "unavailable"

/** A host of the services over the world of `world.ts`, in which nothing has happened yet. */
export interface ServicesHarness {
  /** Runs an effect to its end; fails with what it fails with. Time passes as far as the effect waits. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, ServiceTags>) => Promise<A>
  readonly now: () => EpochMs
  /** Lets time pass; everything due within it happens, its end included. */
  readonly advance: (ms: number) => Promise<void>
  /** Moves to an instant: everything due before it has happened, nothing that is due at it. */
  readonly standAt: (instantMs: EpochMs) => Promise<void>
  /** What outside receivers got, in the order of arrival. */
  readonly received: (url: string) => readonly Received[]
  /** Answers of a URL from now on, one a request, the last for ever. Unscripted, a URL answers 200 soon. */
  readonly script: (url: string, answers: readonly EndpointAnswer[]) => void
  readonly breakHost: (host: string, fault: BrokenHost | null) => void
  readonly breakPhotoSigning: (isBroken: boolean) => void
  readonly stopProcessor: (isDown: boolean) => void
}

export type MakeServicesHarness = (options?: { readonly policy?: EnvironmentPolicy }) => ServicesHarness

export const analytics = Effect.serviceFunctions(Analytics)
export const reservations = Effect.serviceFunctions(Reservations)
export const openLinkSecrets = Effect.serviceFunctions(OpenLinkSecrets)
export const board = Effect.serviceFunctions(RunnerBoard)
export const runner = Effect.serviceFunctions(RunnerTasks)
export const walk = Effect.serviceFunctions(SandboxWalk)
export const webhooks = Effect.serviceFunctions(Webhooks)
export const windowPolicy = Effect.serviceFunctions(WindowPolicy)
export const reservationRows = Effect.serviceFunctions(ReservationRows)

export const partner: Partner = {
  type: "partner",
  organizationId: "org_one",
  environment: "production",
  permissions: PERMISSIONS,
}
export const sandboxPartner: Partner = { ...partner, environment: "sandbox" }
export const stranger: Partner = { ...partner, organizationId: "org_two" }
export const app: Operator = { type: "operator", by: "runner", environment: "production" }
export const operations: Operator = { type: "operator", by: "ops", environment: "production" }

export function holding(...permissions: Permission[]): Partner {
  return { ...partner, permissions }
}

export const HOOK = "https://hooks.partner.example/events"
export const OPEN_LINK = "https://open.partner.example/doors/7"

/** A booking that holds: the window starts in 30 minutes and is 30 minutes wide. */
export function booking(
  h: ServicesHarness,
  more: Partial<CreateReservationRequest> = {},
): CreateReservationRequest {
  return {
    zone_id: "zone_curb",
    retailer_id: "retailer_grocer",
    order_number: "A-1001",
    end_user_name: "Ada Example",
    end_user_phone: "+15125550100",
    arrival_window_start: h.now() + 30 * MINUTE_MS,
    arrival_window_end: h.now() + 60 * MINUTE_MS,
    open_link_url: OPEN_LINK,
    ...more,
  }
}

/** Books, and gives the id. */
export async function booked(
  h: ServicesHarness,
  more: Partial<CreateReservationRequest> = {},
  caller: Partner = partner,
): Promise<string> {
  const { reservation } = await h.run(reservations.create(caller, booking(h, more)))
  return reservation.reservation_id
}

/** The code that a command is refused with; a command that succeeds fails the test. */
export async function codeOf<A>(
  h: ServicesHarness,
  effect: Effect.Effect<A, Refused, ServiceTags>,
): Promise<RefusalCode> {
  return (await refusalOf(h, effect)).code
}

export function refusalOf<A>(
  h: ServicesHarness,
  effect: Effect.Effect<A, Refused, ServiceTags>,
): Promise<Refused> {
  return h.run(Effect.flip(effect))
}

export function report(
  h: ServicesHarness,
  id: string,
  status: BotStatus,
  more: Omit<BotReportRequest, "status"> = {},
): Promise<ReservationRecord> {
  return h.run(reservations.reportBot(partner, id, { status, ...more }))
}

export function seen(h: ServicesHarness, id: string): Promise<ReservationRecord> {
  return h.run(reservations.read(partner, id))
}

/** Takes the runner task to a status by the runner's own moves and, where one is needed, the bot's READY report. */
export async function bringTo(h: ServicesHarness, id: string, status: HandoffStatus): Promise<void> {
  for (const goal of ON_THE_WAY[status]) await h.run(MOVES[goal](id))
  if (status === "HANDOFF_READY" || status === "LOADED") await report(h, id, "READY_FOR_HANDOFF")
  if (status === "LOADED") await h.run(runner.load(app, id, PHOTO))
}

/** What a runner's camera gives, in short. */
export const PHOTO = PLACEHOLDER_PHOTO.bytes

/** A link to a photo that was stored. */
export const PHOTO_LINK = /\/rs\/v1\/photos\/pho_[0-9A-Za-z]{22}\?exp=/

type Move = "ASSIGNED" | "AT_STORE" | "HELD" | "RETRIEVED" | "AT_UNIT" | "FAILED" | "CANCELED"

const MOVES: Readonly<Record<Move, (id: string) => Effect.Effect<ReservationRecord, Refused, ServiceTags>>> =
  {
    ASSIGNED: (id) => runner.assign(app, id, "run_1"),
    AT_STORE: (id) => runner.atStore(app, id),
    HELD: (id) => runner.hold(app, id, null),
    RETRIEVED: (id) => runner.orderInHand(app, id),
    AT_UNIT: (id) => runner.atUnit(app, id),
    FAILED: (id) => runner.giveUp(app, id),
    CANCELED: (id) => reservations.cancel(partner, id),
  }

const ON_THE_WAY: Readonly<Record<HandoffStatus, readonly Move[]>> = {
  QUEUED: [],
  ASSIGNED: ["ASSIGNED"],
  AT_STORE: ["ASSIGNED", "AT_STORE"],
  HELD: ["ASSIGNED", "AT_STORE", "HELD"],
  RETRIEVED: ["ASSIGNED", "AT_STORE", "RETRIEVED"],
  AT_UNIT: ["ASSIGNED", "AT_STORE", "RETRIEVED", "AT_UNIT"],
  HANDOFF_READY: ["ASSIGNED", "AT_STORE", "RETRIEVED", "AT_UNIT"],
  LOADED: ["ASSIGNED", "AT_STORE", "RETRIEVED", "AT_UNIT"],
  CANCELED: ["CANCELED"],
  FAILED: ["ASSIGNED", "AT_STORE", "FAILED"],
}

export function subscribe(
  h: ServicesHarness,
  {
    url = HOOK,
    events = EVENT_TYPES,
    caller = partner,
  }: { url?: string; events?: readonly ReservationEventType[]; caller?: Partner } = {},
): Promise<WebhookRecord> {
  return h.run(webhooks.register(caller, { url, subscribed_events: events }))
}

/** An event as its receiver reads it. */
export interface ReceivedEvent {
  readonly event_id: string
  readonly event_type: ReservationEventType
  readonly occurred_at: string
  readonly data: { readonly reservation: ReservationRecord } & Readonly<Record<string, unknown>>
}

/** The events that the endpoint has received, without duplicates, in the contract's order: by time, then by id. */
export async function told(h: ServicesHarness, url: string = HOOK): Promise<readonly ReceivedEvent[]> {
  await h.advance(500)
  const byId = new Map<string, ReceivedEvent>()
  for (const { body } of h.received(url)) {
    const event = JSON.parse(body) as ReceivedEvent
    byId.set(event.event_id, event)
  }
  const key = (event: ReceivedEvent): string => `${event.occurred_at} ${event.event_id}`
  return [...byId.values()].toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** The same in short: `null > confirmed`, `milestone task_started`, `exception bot_no_show`. */
export async function toldInShort(h: ServicesHarness, url: string = HOOK): Promise<readonly string[]> {
  return (await told(h, url)).map(inShort)
}

function inShort({ event_type, data }: ReceivedEvent): string {
  switch (event_type) {
    case "reservation.status_changed":
      return `${String(data["previous_status"])} > ${data.reservation.status}`
    case "reservation.handoff_updated":
      return `milestone ${String(data["milestone"])}`
    case "reservation.exception":
      return `exception ${String(data["reason_code"])}`
  }
}

/** The events that the endpoint has received after the first `before`. */
export async function toldSince(h: ServicesHarness, before: number): Promise<readonly string[]> {
  return (await toldInShort(h)).slice(before)
}

export function iso(instantMs: EpochMs): string {
  return new Date(instantMs).toISOString()
}

export function handoffOf(record: ReservationRecord): NonNullable<ReservationRecord["handoff"]> {
  if (record.handoff === null) throw new Error(`reservation ${record.reservation_id} has no handoff`)
  return record.handoff
}

export function botOf(record: ReservationRecord): NonNullable<ReservationRecord["bot"]> {
  if (record.bot === null) throw new Error(`reservation ${record.reservation_id} has no bot`)
  return record.bot
}
