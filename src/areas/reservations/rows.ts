/**
 * Reservation rows: personal and catalog data of reservations, and the columns projected from their machines. Personal
 * texts are stored only here.
 */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { BotStatus } from "../../model/bot.ts"
import type { ReservationStatus } from "../../model/reservation.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Purge } from "../../engine/services/retention/retention.ts"
import { boolean, choice, epochMs, json, serial, text } from "../../engine/services/tables/columns.ts"
import { noneOf, notNull } from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import type { Routine } from "../../engine/services/routine.ts"

/** A payload limit as it was sent, for the answer. */
export type SentPayloadLimit = {
  readonly max_weight_kg?: number | null | undefined
  readonly max_dimensions_cm?:
    { readonly length: number; readonly width: number; readonly height: number } | null | undefined
}

/** Of a reservation that takes a place at its stall. */
export const IS_OPEN_RESERVATION = noneOf("completed", "canceled")

export const reservations = table("reservations", {
  one: "a reservation",
  many: "reservations",
  columns: {
    reservationId: text(),
    organizationId: text(),
    environment: choice<Environment>(),
    zoneId: text(),
    retailerId: text(),
    stallId: text(),
    stallLabel: text().nullable(),
    orderNumber: text(),
    endUserName: text(),
    endUserPhone: text(),
    openLinkUrl: text(),
    retailerPickupRef: text().nullable(),
    payloadLimit: json<SentPayloadLimit>().nullable(),
    cancelReason: text().nullable(),
    botLabel: text().nullable(),
    /** The message of the last exception of each code. */
    exceptionMessages: json<Readonly<Record<string, string>>>(),
    idempotencyKey: text().nullable(),
    /** Keyed digests for the comparison of idempotent retries. */
    comparison: text(),
    createdAtMs: epochMs(),
    /** Numbers reservations in the order of creation; breaks ties of a list. */
    number: serial(),
    /** Projected from the machines. */
    status: choice<ReservationStatus>(),
    startsAtMs: epochMs(),
    endsAtMs: epochMs(),
    updatedAtMs: epochMs(),
    /** When the runner should be ready; null without an open runner task. */
    taskStagingAtMs: epochMs().nullable(),
  },
  key: ["reservationId"],
  indexes: [
    {
      name: "reservations_key",
      by: ["environment", "organizationId", "idempotencyKey"],
      where: { idempotencyKey: notNull },
    },
    { name: "reservations_newest", by: ["environment", "organizationId", "number"] },
    {
      name: "reservations_open",
      by: ["environment", "zoneId", "endsAtMs"],
      where: { status: IS_OPEN_RESERVATION },
    },
    { name: "reservations_arrivals", by: ["environment", "zoneId", "startsAtMs", "reservationId"] },
    {
      name: "reservations_open_tasks",
      by: ["environment", "zoneId", "taskStagingAtMs", "number"],
      where: { taskStagingAtMs: notNull },
    },
  ],
})

export type ReservationRow = RowOf<typeof reservations>

/** A reservation before its row has a number. */
export type NewReservation = Omit<ReservationRow, "number">

/** Bot reports as received, applied or not. */
export const botReports = table("bot_reports", {
  one: "a bot report",
  many: "bot reports",
  columns: {
    id: serial().hidden(),
    reservationId: text(),
    status: choice<BotStatus>(),
    label: text().nullable(),
    reason: text().nullable(),
    occurredAtMs: epochMs(),
    receivedAtMs: epochMs(),
    isApplied: boolean(),
  },
  key: ["id"],
  indexes: [{ name: "bot_reports_reservation", by: ["reservationId", "id"] }],
})

export type BotReportRow = RowOf<typeof botReports>

/** The body of an open link's first attempt, by the address of its actor: retries send the same bytes. */
export const openLinkBodies = table("open_link_bodies", {
  one: "an open link's body",
  many: "bodies of open links",
  columns: { actor: text(), reservationId: text(), body: text() },
  key: ["actor"],
  indexes: [{ name: "open_link_bodies_reservation", by: ["reservationId"] }],
})

/** Reservations that have ended and still contain personal texts. Their retention period begins with their end. */
export const reservationEndings = table("reservation_endings", {
  one: "the end of a reservation",
  many: "ends of reservations",
  columns: { reservationId: text(), endedAtMs: epochMs(), openLinksPurged: boolean().default(false) },
  key: ["reservationId"],
  indexes: [{ name: "reservation_endings_oldest", by: ["endedAtMs"] }],
})

export interface ReservationQuery {
  readonly organizationId: string
  readonly environment: Environment
  readonly statuses: readonly ReservationStatus[] | null
  readonly zoneId: string | null
  readonly retailerId: string | null
  readonly orderNumber: string | null
  /** Only reservations whose order number contains it, in any case of letters. */
  readonly search: string | null
  readonly arrivalFromMs: EpochMs | null
  readonly arrivalToMs: EpochMs | null
  /** Only rows with a smaller number, which were created earlier. */
  readonly beforeNumber: number | null
  readonly limit: number
}

/** Open runner tasks of some zones, by staging time, then in order of creation. */
export interface OpenTaskQuery {
  readonly environment: Environment
  readonly zoneIds: readonly string[]
  /** Only tasks after this place. */
  readonly after: { readonly stagingAtMs: EpochMs; readonly number: number } | null
  readonly limit: number
}

/** A window at a zone's stalls, half-open. */
export interface Occupation {
  readonly environment: Environment
  readonly zoneId: string
  readonly startsAtMs: EpochMs
  readonly endsAtMs: EpochMs
}

export class ReservationRows extends Context.Tag("ReservationRows")<
  ReservationRows,
  {
    readonly insert: (row: NewReservation) => Routine<void, never, Transaction>
    readonly change: (
      reservationId: string,
      change: Partial<Omit<ReservationRow, "reservationId" | "number">>,
    ) => Routine<void, never, Transaction>
    readonly byId: (reservationId: string) => Routine<ReservationRow | null>
    readonly byKey: (scope: {
      readonly organizationId: string
      readonly environment: Environment
      readonly key: string
    }) => Routine<ReservationRow | null>
    /** Newest first. */
    readonly list: (query: ReservationQuery) => Routine<readonly ReservationRow[]>
    /** Open reservations of some zones; the window that ends first comes first. */
    readonly openAt: (query: {
      readonly environment: Environment
      readonly zoneIds: readonly string[]
      readonly limit: number
    }) => Routine<readonly ReservationRow[]>
    readonly openTasks: (query: OpenTaskQuery) => Routine<readonly ReservationRow[]>
    /** How many open reservations overlap the window, by stall id; stalls without any are absent. */
    readonly loads: (occupation: Occupation) => Routine<ReadonlyMap<string, number>>
    readonly addReport: (report: BotReportRow) => Routine<void, never, Transaction>
    /** Reports of one reservation, in order of insertion. */
    readonly reports: (reservationId: string) => Routine<readonly BotReportRow[]>
    /** Stores the body of an open link's first attempt, by the address of its actor: retries send the same bytes. */
    readonly freezeOpenLink: (actor: string, body: string) => Routine<void, never, Transaction>
    readonly openLinkBody: (actor: string) => Routine<string | null>
    /** Records when a reservation ended: its retention period begins there. */
    readonly noteEnd: (reservationId: string, endedAtMs: EpochMs) => Routine<void, never, Transaction>
    /** Blanks names, phones and texts in reservations that ended by then. Ids, states and times stay. */
    readonly blankEnded: Purge
    /** Deletes the bodies of open links of reservations that ended by then. */
    readonly purgeOpenLinks: Purge
    /** Deletes everything about a reservation; only a host without recording uses it. */
    readonly forget: (reservationId: string) => Routine<void, never, Transaction>
  }
>() {}
