/**
 * Reservation rows: personal and catalog data of reservations, and the columns projected from their machines. Personal
 * texts are stored only here.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { BotStatus } from "../../model/bot.ts"
import type { ReservationStatus } from "../../model/reservation.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Transaction } from "../../services/host.ts"
import type { Purge } from "../../services/retention/retention.ts"

/** A payload limit as it was sent, for the answer. */
export type SentPayloadLimit = {
  readonly max_weight_kg?: number | null | undefined
  readonly max_dimensions_cm?:
    { readonly length: number; readonly width: number; readonly height: number } | null | undefined
}

export interface ReservationRow {
  readonly reservationId: string
  readonly organizationId: string
  readonly environment: Environment
  readonly zoneId: string
  readonly retailerId: string
  readonly stallId: string
  readonly stallLabel: string | null
  readonly orderNumber: string
  readonly endUserName: string
  readonly endUserPhone: string
  readonly openLinkUrl: string
  readonly retailerPickupRef: string | null
  readonly payloadLimit: SentPayloadLimit | null
  readonly cancelReason: string | null
  readonly botLabel: string | null
  /** The message of the last exception of each code. */
  readonly exceptionMessages: Readonly<Record<string, string>>
  readonly idempotencyKey: string | null
  /** Keyed digests for the comparison of idempotent retries. */
  readonly comparison: string
  readonly createdAtMs: EpochMs
  /** Numbers reservations in the order of creation; breaks ties of a list. */
  readonly number: number
  /** Projected from the machines. */
  readonly status: ReservationStatus
  readonly startsAtMs: EpochMs
  readonly endsAtMs: EpochMs
  readonly updatedAtMs: EpochMs
  /** When the runner should be ready; null without an open runner task. */
  readonly taskStagingAtMs: EpochMs | null
}

/** One bot report as received, applied or not. */
export interface BotReportRow {
  readonly reservationId: string
  readonly status: BotStatus
  readonly label: string | null
  readonly reason: string | null
  readonly occurredAtMs: EpochMs
  readonly receivedAtMs: EpochMs
  readonly isApplied: boolean
}

export interface ReservationQuery {
  readonly organizationId: string
  readonly environment: Environment
  readonly statuses: readonly ReservationStatus[] | null
  readonly zoneId: string | null
  readonly retailerId: string | null
  readonly orderNumber: string | null
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
    readonly insert: (row: Omit<ReservationRow, "number">) => Effect.Effect<void, never, Transaction>
    readonly change: (
      reservationId: string,
      change: Partial<Omit<ReservationRow, "reservationId" | "number">>,
    ) => Effect.Effect<void, never, Transaction>
    readonly byId: (reservationId: string) => Effect.Effect<ReservationRow | null>
    readonly byKey: (scope: {
      readonly organizationId: string
      readonly environment: Environment
      readonly key: string
    }) => Effect.Effect<ReservationRow | null>
    /** Newest first. */
    readonly list: (query: ReservationQuery) => Effect.Effect<readonly ReservationRow[]>
    readonly openTasks: (query: OpenTaskQuery) => Effect.Effect<readonly ReservationRow[]>
    /** How many open reservations overlap the window, by stall id; stalls without any are absent. */
    readonly loads: (occupation: Occupation) => Effect.Effect<ReadonlyMap<string, number>>
    readonly addReport: (report: BotReportRow) => Effect.Effect<void, never, Transaction>
    /** Reports of one reservation, in order of insertion. */
    readonly reports: (reservationId: string) => Effect.Effect<readonly BotReportRow[]>
    /** Stores the body of an open link's first attempt, by the address of its actor: retries send the same bytes. */
    readonly freezeOpenLink: (actor: string, body: string) => Effect.Effect<void, never, Transaction>
    readonly openLinkBody: (actor: string) => Effect.Effect<string | null>
    /** Records when a reservation ended: its retention period begins there. */
    readonly noteEnd: (reservationId: string, endedAtMs: EpochMs) => Effect.Effect<void, never, Transaction>
    /** Blanks names, phones and texts in reservations that ended by then. Ids, states and times stay. */
    readonly blankEnded: Purge
    /** Deletes the bodies of open links of reservations that ended by then. */
    readonly purgeOpenLinks: Purge
    /** Deletes everything about a reservation; only a host without recording uses it. */
    readonly forget: (reservationId: string) => Effect.Effect<void, never, Transaction>
  }
>() {}
