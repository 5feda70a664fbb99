/**
 * Rows of the courier connector: errands with the details from people and stores, idempotency keys of calls, and the
 * ids from the payment processor. Names, addresses, numbers and texts are stored only here.
 */

import type { State } from "../../../machines/contracts.ts"
import type {
  CourierAddress,
  CourierItem,
  RequestedTiming,
  RetailerSlot,
} from "../../model/requests/courier-requests.ts"
import type {
  CheckInMethod,
  CourierEnvelope,
  CourierTool,
  DisqualifyingRequirement,
  PaymentStatus,
  PickupRequirement,
  PaymentFailure,
} from "../../model/courier.ts"
import type { Place } from "../../model/place.ts"
import { COURIER_ANSWERS_KEPT_MS, STORE_ORDERS_KEPT_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { OpeningHours, Store } from "./directory/store-directory.ts"
import { BLANK_PHONE, BLANK_TEXT } from "../../engine/services/retention/blanks.ts"
import {
  boolean,
  epochMs,
  integer,
  json,
  sealed,
  text,
  choice,
} from "../../engine/services/tables/columns.ts"
import { oneOf, atMost, descending, either, notNull } from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository } from "../../engine/services/service.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { SealedTables } from "../../engine/services/tables/tables.ts"
import type { TableAccessOf } from "../../engine/services/tables/tables.ts"
import type { PurgeOrder } from "../../engine/services/retention/retention.ts"
import { Effect } from "effect"

/** A window in which a vehicle can be at the store. */
export type OfferedWindow = {
  readonly startMs: EpochMs
  readonly endMs: EpochMs
  readonly slot: RetailerSlot | null
}

/** The choice for an agent at the store's checkout. */
export type PickupTime = {
  readonly select: string
  readonly instruction: string
  /** The corresponding instant. */
  readonly atMs: EpochMs
}

/** The details of an errand, some in free text. */
export type CourierDetails = {
  readonly retailerName: string
  readonly storeAddress: CourierAddress
  readonly storePlace: Place | null
  readonly storeUrl: string | null
  /** From the directory; null when the store is not served. */
  readonly hours: readonly OpeningHours[] | null
  readonly kitchenStarts: "on_check_in" | "scheduled" | null
  readonly leadTimeMs: number
  readonly stallHint: string | null
  readonly dropoffAddress: CourierAddress
  readonly dropoffPlace: Place | null
  /** The place is that of a street or an area. Absent in rows that are older than this field. */
  readonly isDropoffApproximate?: boolean
  readonly dropoffNotes: string | null
  readonly timing: RequestedTiming
  readonly slots: readonly RetailerSlot[]
  readonly itemCount: number | null
  readonly windows: readonly OfferedWindow[]
  readonly customer: { readonly firstName: string; readonly lastName: string } | null
  /** The linked number at the time of the reserve, and an e-mail address from the agent. */
  readonly contact: { readonly phone: string; readonly email: string | null } | null
  readonly requirementsSeen: readonly PickupRequirement[]
  readonly requirementsNotes: string | null
  readonly checkInMethod: CheckInMethod | null
  readonly checkIn: {
    readonly url: string | null
    readonly phone: string | null
    readonly instructions: string | null
  } | null
  readonly pickupTime: PickupTime | null
  /** The inputs of the latest checkout link's token. */
  readonly checkout: { readonly atMs: EpochMs; readonly nonce: string } | null
  /** The store order: reported by updates so far, and complete after the confirm. */
  readonly order: {
    readonly orderNumber: string | null
    readonly items: readonly CourierItem[]
    readonly confirmationText: string | null
    readonly pickupCode: string | null
  } | null
  readonly readyAtMs: EpochMs | null
  /**
   * When the vehicle comes for a placed order, by the window that the user chose: the slot and the ready time stay. Null after
   * a newer time of the store. Absent in rows that are older than this field.
   */
  readonly vehicleAtMs?: EpochMs | null
  readonly disqualifying: readonly DisqualifyingRequirement[]
  readonly restrictedItems: readonly string[]
  readonly notes: readonly string[]
  readonly cancelReason: string | null
  /** Listings similar to the one that was not found. Absent in rows that are older than this field. */
  readonly storeMatches?: readonly StoreMatch[]
  /** After a decline because of the time: the next possible pickup. Absent in rows that are older than this field. */
  readonly nextWindow?: { readonly startMs: EpochMs; readonly endMs: EpochMs } | null
  readonly timingProblem?: TimingProblem | null
  /** At a check without a free place: when one is expected. Absent in rows that are older than this field. */
  readonly earliestAtMs?: EpochMs | null
  /** When it failed, its vehicle had the order. Absent before, and in rows that are older than this field. */
  readonly wasAboard?: boolean
}

/**
 * Why no pickup fits: the requested window is over or too far ahead, it ends before the store's lead time does, no slot
 * of the store can be reached, or the store or the service is closed then.
 */
export type TimingProblem = "before_lead_time" | "closed" | "out_of_reach" | "slots_out_of_reach"

/** Details of an errand before its checkout, its order and its booking. */
export const BEFORE_BOOKING = {
  requirementsSeen: [],
  requirementsNotes: null,
  checkInMethod: null,
  checkIn: null,
  pickupTime: null,
  checkout: null,
  order: null,
  readyAtMs: null,
  disqualifying: [],
  notes: [],
  cancelReason: null,
} as const satisfies Partial<CourierDetails>

export type StoreMatch = Pick<Store, "name" | "street" | "zip">

/** The machine's state as columns: holds are counted and found by it. */
export type CourierPhase = State<"courier-order">

/** Phases with a held vehicle; during a request to the processor a hold does not expire. */
const HOLDING = ["held", "authorizing", "capturing"] as const

export const courierOrders = table("courier_orders", {
  one: "an errand",
  many: "errands",
  columns: {
    deliveryId: text(),
    userId: text(),
    /** The organization in whose sandbox it is; null in production. */
    organizationId: text().nullable().default(null),
    fleetId: text(),
    details: json<CourierDetails>(),
    /** Projected from the machines, like the next two. */
    phase: choice<CourierPhase>(),
    paymentStatus: choice<PaymentStatus>(),
    holdEndsAtMs: epochMs().nullable(),
    createdAtMs: epochMs(),
    updatedAtMs: epochMs(),
    /** When the errand or its delivery ended, in real time: retention counts from there. */
    endedAtMs: epochMs().nullable(),
    blanked: boolean().default(false).hidden(),
  },
  key: ["deliveryId"],
  indexes: [
    {
      name: "courier_orders_holding",
      by: ["userId", "deliveryId"],
      where: { phase: oneOf(...HOLDING) },
    },
    {
      name: "courier_orders_holds",
      by: ["fleetId", "holdEndsAtMs"],
      where: { phase: oneOf(...HOLDING) },
    },
    { name: "courier_orders_newest", by: ["createdAtMs", "deliveryId"] },
    {
      name: "courier_orders_organization",
      by: ["organizationId", "createdAtMs", "deliveryId"],
      where: { organizationId: notNull },
    },
    { name: "courier_orders_ended", by: ["endedAtMs"], where: { blanked: false } },
  ],
})

export type CourierRow = RowOf<typeof courierOrders>

/** The processor's data of one errand. */
export const courierPayments = table("courier_payments", {
  one: "a courier payment",
  many: "courier payments",
  columns: {
    deliveryId: text(),
    /** Counts the credentials, so that each has an idempotency key of its own for all its retries. */
    credentialNo: integer(),
    /** The credential that is being tried; null once the processor has answered. A secret. */
    credential: sealed(text().nullable(), "sealed_credential"),
    /** The id of the authorization; null when there is none, or when it is unknown. */
    authorizationId: text().nullable(),
    /** Why the last credential failed; null until a credential is declined. */
    failure: choice<PaymentFailure>().nullable(),
    /** In the sandbox: the built-in processor is asked, which moves no money. */
    isTest: boolean().default(false),
  },
  key: ["deliveryId"],
})

export type CourierPaymentRow = RowOf<typeof courierPayments>

/** A call under a key of a user: in flight without an answer, done with one. */
export const courierClaims = table("courier_claims", {
  one: "a courier claim",
  many: "courier claims",
  columns: {
    userId: text(),
    key: text(),
    tool: choice<CourierTool>(),
    /** Keyed digest of tool and arguments. */
    digest: text(),
    deliveryId: text().nullable(),
    /** The answer; for a call that waits for the processor, what is known so far. It may contain a checkout link. */
    answer: sealed(json<CourierEnvelope>().nullable(), "sealed_answer"),
    isDone: boolean(),
    /** Until then, in real time, the call that claimed the key counts as in flight. */
    leaseEndsAtMs: epochMs(),
    /** The real time of the claim, then of the answer: the 48 hours begin here. */
    atMs: epochMs(),
  },
  key: ["userId", "key"],
  // Claims of an errand change under the lock of its group.
  isReadOnce: true,
  retention: { from: "atMs", keepMs: COURIER_ANSWERS_KEPT_MS },
  indexes: [
    { name: "courier_claims_pending", by: ["deliveryId"], where: { isDone: false } },
    // A host without recording deletes errands with their claims.
    { name: null, by: ["deliveryId"] },
    { name: "courier_claims_age", by: ["atMs"] },
  ],
})

export type CourierClaim = RowOf<typeof courierClaims>

/** The errand that an order of a store was last booked for. Changes under the lock of its fleet. */
export const courierStoreOrders = table("courier_store_orders", {
  one: "a store order",
  many: "store orders",
  columns: {
    /** The store's id and the order's number. */
    storeOrder: text(),
    deliveryId: text(),
    atMs: epochMs(),
  },
  key: ["storeOrder"],
  isReadOnce: true,
  retention: { from: "atMs", keepMs: STORE_ORDERS_KEPT_MS },
  indexes: [{ name: "courier_store_orders_age", by: ["atMs"] }],
})

export class CourierRows extends repository<CourierRows>()(
  "CourierRows",
  Effect.map(SealedTables, (tables) => {
    const orders = tables.of(courierOrders)
    const payments = tables.of(courierPayments)
    const claims = tables.of(courierClaims)
    const storeOrders = tables.of(courierStoreOrders)
    return {
      insert: orders.insert,
      change: (deliveryId: string, change: Partial<Omit<CourierRow, "deliveryId" | "userId">>) =>
        orders.update({ deliveryId }, change),
      byId: (deliveryId: string) => orders.get({ deliveryId }),
      /** The newest errands of an organization's sandbox. */
      newestOf: (organizationId: string, limit: number) =>
        orders.list(
          { organizationId },
          { order: [descending("createdAtMs"), descending("deliveryId")], limit },
        ),
      /** The user's errands that hold a vehicle, by id, including those with a request to the processor in flight. */
      heldBy: (userId: string) =>
        orders.list({ userId, phase: oneOf(...HOLDING) }, { order: ["deliveryId"] }),
      payment: (deliveryId: string) => payments.get({ deliveryId }),
      putPayment: payments.upsert,
      /** Stores the same credential's row under the next number; does nothing if the row has another number. */
      replacePayment: ({ deliveryId, credentialNo, ...payment }: CourierPaymentRow) =>
        payments.update({ deliveryId, credentialNo }, { ...payment, credentialNo: credentialNo + 1 }),
      storeOrder: (storeOrder: string) => storeOrders.get({ storeOrder }),
      putStoreOrder: storeOrders.upsert,
      purgeStoreOrders: purgeOf(courierStoreOrders, storeOrders),
      /** Blanks personal data of errands that ended by then. Returns how many rows it found. */
      blankEnded: (order: PurgeOrder) => blankEnded({ orders, payments }, order),
      /** Deletes an errand; only a host without recording uses it. */
      forget: (deliveryId: string) =>
        Routine.inTurn(
          orders.delete({ deliveryId }),
          payments.delete({ deliveryId }),
          claims.delete({ deliveryId }),
        ),
    }
  }),
) {}

export class CourierClaims extends repository<CourierClaims>()(
  "CourierClaims",
  Effect.map(SealedTables, (tables) => {
    const claims = tables.of(courierClaims)
    return {
      find: (userId: string, key: string) => claims.get({ userId, key }),
      /** Replaces the claim of the key. */
      put: claims.upsert,
      remove: (userId: string, key: string) => claims.delete({ userId, key }),
      /** Claims about an errand that wait for the processor. */
      pendingOf: (deliveryId: string) => claims.list({ deliveryId, isDone: false }, { order: "any" }),
      purge: purgeOf(courierClaims, claims),
    }
  }),
) {}

interface Blankable {
  readonly orders: TableAccessOf<typeof courierOrders>
  readonly payments: TableAccessOf<typeof courierPayments>
}

/** Blanks personal data of errands that ended, and of errands whose quote expired, by the given time. */
const blankEnded = Routine.fn(function* ({ orders, payments }: Blankable, { beforeMs, limit }: PurgeOrder) {
  const old = yield* orders.list(
    either(
      { blanked: false, endedAtMs: atMost(beforeMs) },
      { blanked: false, endedAtMs: null, phase: "expired", updatedAtMs: atMost(beforeMs) },
    ),
    { order: "any", limit },
  )
  for (const { deliveryId, details } of old) {
    yield* orders.update({ deliveryId }, { details: blanked(details), blanked: true })
    yield* payments.update({ deliveryId }, { credential: null })
  }
  return old.length
})

/** Its personal data is removed for good: nothing would blank it a second time. */
export function isBlanked({ details }: Pick<CourierRow, "details">): boolean {
  return details.dropoffPlace === null && details.dropoffAddress.street === BLANK_TEXT
}

/** The blanked details, without personal data. */
function blanked(details: CourierDetails): CourierDetails {
  const gone = BLANK_TEXT
  const address = { street: gone, city: gone, state: gone, zip: gone }
  return {
    ...details,
    dropoffAddress: address,
    dropoffPlace: null,
    dropoffNotes: details.dropoffNotes === null ? null : gone,
    customer: details.customer === null ? null : { firstName: gone, lastName: gone },
    contact: details.contact === null ? null : { phone: BLANK_PHONE, email: null },
    requirementsNotes: null,
    checkIn: null,
    order:
      details.order === null
        ? null
        : { orderNumber: gone, items: [], confirmationText: gone, pickupCode: null },
    restrictedItems: details.restrictedItems.map(() => gone),
    notes: [],
    cancelReason: null,
  }
}
