/** From observations to the parts of a fleet model, with intervals, and what the journal could not show. */

import { MINUTE_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { fitBounded, fitDuration } from "./duration-fit.ts"
import type { DurationFit } from "./duration-fit.ts"
import type { Delivery, Errand, Observations, Visit } from "./observations.ts"
import { fitArrivals, shareOf } from "./rates.ts"
import type { ArrivalFit, ObservedSpan, Share } from "./rates.ts"
import { medianOf } from "./median.ts"
import { fitWaits } from "./wait-fit.ts"
import type { Wait } from "./wait-fit.ts"

/** Cooks begin this long before an order is due: the default of the model language, which a journal does not show. */
const STARTS_BEFORE_MS = 15 * MINUTE_MS

export interface FittedStore {
  readonly retailerId: string
  readonly arrivals: ArrivalFit
  readonly preparation: DurationFit | null
}

export interface FittedZone {
  readonly zoneId: string
  readonly stalls: number
  readonly runners: number
  readonly stores: readonly FittedStore[]
}

export interface FittedDemand {
  readonly ahead: DurationFit | null
  readonly widthMs: number | null
  readonly cancel: Share | null
  readonly cancelAfter: DurationFit | null
}

export interface FittedErrands {
  readonly count: number
  readonly stores: readonly { readonly storeId: string; readonly arrivals: ArrivalFit }[]
  readonly reservesAfter: DurationFit | null
  readonly paysAfter: DurationFit | null
  readonly confirmsAfter: DurationFit | null
  readonly givesUp: Share | null
  readonly declinedCards: Share | null
  readonly customerAbsent: Share | null
  readonly cancel: Share | null
  readonly cancelAfter: DurationFit | null
}

export interface FittedModel {
  readonly span: ObservedSpan
  readonly zones: readonly FittedZone[]
  readonly reservations: FittedDemand
  readonly runner: { readonly [key in "load" | "pick_up" | "walk"]: DurationFit | null }
  readonly bot: {
    readonly punctuality: DurationFit | null
    readonly settle: DurationFit | null
    readonly leave: DurationFit | null
    readonly noShow: Share | null
    readonly abort: Share | null
    readonly patience: DurationFit | null
    readonly tellsEtaMs: number | null
  }
  readonly faults: { readonly openLinkFails: Share | null; readonly payloadTooHeavy: Share | null }
  readonly policy: Visit["policy"] | null
  readonly deliveries: readonly {
    readonly siteId: string
    readonly arrivals: ArrivalFit
  }[]
  readonly vehicle: { readonly load: DurationFit | null; readonly dropOff: DurationFit | null }
  readonly deliveryCancel: Share | null
  readonly deliveryCancelAfter: DurationFit | null
  readonly errands: FittedErrands | null
  readonly vehicles: number
  /** How many of each were read. */
  readonly visits: number
  readonly deliveryCount: number
  /** Sentences about what is not in the model, or only guessed. */
  readonly unknown: readonly string[]
}

/** The whole span of the observations unless it is said. Null without a visit, a delivery or an errand in it. */
export function fitModel(
  observations: Observations,
  {
    fromMs,
    toMs,
    timeZone,
  }: { readonly fromMs: EpochMs | null; readonly toMs: EpochMs | null; readonly timeZone: string },
): FittedModel | null {
  const isInside = (atMs: EpochMs): boolean =>
    (fromMs === null || atMs >= fromMs) && (toMs === null || atMs < toMs)
  const visits = observations.visits.filter(({ bookedMs, isFromWalk }) => isInside(bookedMs) && !isFromWalk)
  const deliveries = observations.deliveries.filter(({ createdMs }) => isInside(createdMs))
  const errands = observations.errands.filter(({ createdMs }) => isInside(createdMs))
  const instants = [
    ...visits.map(({ bookedMs }) => bookedMs),
    ...[...deliveries, ...errands].map(({ createdMs }) => createdMs),
  ]
  if (instants.length === 0) return null
  // Orders that end are written for a while after the last one came: the span of arrivals ends with the last arrival.
  const span: ObservedSpan = {
    fromMs: fromMs ?? observations.firstMs ?? 0,
    toMs: toMs ?? instants.reduce((last, atMs) => Math.max(last, atMs), 0),
    timeZone,
  }
  const ended = visits.filter(({ ended: at, isWindowMoved }) => at !== null && !isWindowMoved)
  const kept = ended.filter(
    ({ canceledByPartner, arrived }) => canceledByPartner === null || arrived !== null,
  )
  return {
    span,
    zones: zonesOf(visits, observations, span),
    reservations: demandOf(visits, ended),
    runner: runnerOf(visits),
    bot: botOf(visits, kept),
    faults: faultsOf(visits),
    policy: visits.at(-1)?.policy ?? null,
    deliveries: byKey(deliveries, ({ siteId }) => siteId).map(([siteId, some]) => ({
      siteId,
      arrivals: fitArrivals(
        some.map(({ createdMs }) => createdMs),
        span,
      ),
    })),
    vehicle: vehicleOf(deliveries),
    deliveryCancel: shareOf(
      deliveries.filter(({ canceled }) => canceled !== null).length,
      deliveries.filter(({ ended: at }) => at !== null).length,
    ),
    deliveryCancelAfter: fitDuration(between(deliveries, "createdMs", "canceled")),
    errands: errandsOf(errands, span),
    vehicles: observations.vehicles,
    visits: visits.length,
    deliveryCount: deliveries.length,
    unknown: unknownOf({ visits, deliveries, observations }),
  }
}

function byKey<One>(
  all: readonly One[],
  keyOf: (one: One) => string,
): readonly (readonly [string, readonly One[]])[] {
  const found = new Map<string, One[]>()
  for (const one of all) {
    const some = found.get(keyOf(one))
    if (some === undefined) found.set(keyOf(one), [one])
    else some.push(one)
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Durations from one instant to another, of those that have both. */
function between<Key extends string>(
  all: readonly { readonly [key in Key]: EpochMs | null }[],
  from: Key,
  to: Key,
): readonly number[] {
  return all.flatMap((one) => {
    const [begins, ends] = [one[from], one[to]]
    return begins === null || ends === null || ends < begins ? [] : [ends - begins]
  })
}

function zonesOf(
  visits: readonly Visit[],
  { stallsByZone }: Observations,
  span: ObservedSpan,
): readonly FittedZone[] {
  return byKey(visits, ({ zoneId }) => zoneId).map(([zoneId, some]) => ({
    zoneId,
    stalls: stallsByZone.get(zoneId) ?? 0,
    runners: new Set(some.flatMap(({ runnerId }) => runnerId ?? [])).size,
    stores: byKey(some, ({ retailerId }) => retailerId).map(([retailerId, own]) => ({
      retailerId,
      arrivals: fitArrivals(
        own.map(({ bookedMs }) => bookedMs),
        span,
      ),
      preparation: fitBounded(own.flatMap(preparationOf)),
    })),
  }))
}

/** When the order was ready is known if a runner waited for it; otherwise it was ready by the runner's arrival. */
function preparationOf({ bookedMs, startsAtMs, atStore, held, orderReady, inHand }: Visit) {
  const beginsMs = Math.max(bookedMs, startsAtMs - STARTS_BEFORE_MS)
  if (held !== null && orderReady !== null) return [{ ms: orderReady - beginsMs, isAtMost: false }]
  if (held !== null || atStore === null || inHand === null) return []
  return [{ ms: atStore - beginsMs, isAtMost: true }]
}

function demandOf(visits: readonly Visit[], ended: readonly Visit[]): FittedDemand {
  const ahead = visits.map(({ startsAtMs, bookedMs }) => startsAtMs - bookedMs).filter((ms) => ms > 0)
  // A partner also cancels because its bot gave up or the order does not come; that is no decision of the customer.
  const canceled = ended.filter(
    ({ canceledByPartner, exceptions, aborted }) =>
      canceledByPartner !== null && aborted === null && exceptions.length === 0,
  )
  return {
    ahead: fitDuration(ahead),
    widthMs: medianOf(visits.map(({ widthMs }) => widthMs)),
    cancel: shareOf(canceled.length, ended.length),
    cancelAfter: fitDuration(
      canceled.map(({ canceledByPartner, bookedMs }) => (canceledByPartner ?? 0) - bookedMs),
    ),
  }
}

function runnerOf(visits: readonly Visit[]): FittedModel["runner"] {
  // After a missed bot another runner may take the task, so the instants of such a visit are those of two people.
  const plain = visits.filter(({ exceptions }) => !exceptions.includes("bot_no_show"))
  const pickUps = plain.flatMap(({ atStore, held, orderReady, inHand }) => {
    const begins = held === null ? atStore : orderReady
    return begins === null || inHand === null ? [] : [inHand - begins]
  })
  return {
    walk: fitDuration(between(plain, "inHand", "atUnit")),
    pick_up: fitDuration(pickUps),
    load: fitDuration(between(plain, "opened", "loaded")),
  }
}

function botOf(visits: readonly Visit[], kept: readonly Visit[]): FittedModel["bot"] {
  const arrived = kept.filter((visit) => visit.arrived !== null)
  const gaveUp = arrived.filter(({ aborted, botReady }) => aborted !== null && botReady === null)
  const punctuality = visits.flatMap(({ arrived: at, startsAtMs, isWindowMoved }) =>
    at === null || isWindowMoved ? [] : [at - startsAtMs],
  )
  return {
    punctuality: fitDuration(punctuality, { isSigned: true }),
    settle: fitDuration(between(visits, "arrived", "botReady")),
    leave: fitDuration(between(visits, "loaded", "departed")),
    noShow: shareOf(kept.length - arrived.length, kept.length),
    abort: shareOf(gaveUp.length, arrived.length),
    patience: fitWaits(arrived.flatMap(waitOf)),
    tellsEtaMs: medianOf(visits.flatMap(({ toldMs }) => (toldMs === null || toldMs <= 0 ? [] : [toldMs]))),
  }
}

/** A bot that left by itself has lost its patience; one that was served, or left for another reason, had more. */
function waitOf({ arrived, botReady, loaded, aborted, ended, hasLinkFailed }: Visit): readonly Wait[] {
  const until = loaded ?? aborted ?? ended
  if (arrived === null || until === null || until < arrived) return []
  const isAtLeast = until !== aborted || botReady === null || hasLinkFailed
  return [{ ms: until - arrived, isAtLeast }]
}

function faultsOf(visits: readonly Visit[]): FittedModel["faults"] {
  const called = visits.filter(({ opened, hasLinkFailed }) => opened !== null || hasLinkFailed)
  const tooHeavy = visits.filter(({ exceptions }) => exceptions.includes("payload_rejected"))
  const pickedUp = visits.filter(({ inHand }) => inHand !== null)
  return {
    openLinkFails: shareOf(called.filter(({ hasLinkFailed }) => hasLinkFailed).length, called.length),
    payloadTooHeavy: shareOf(
      tooHeavy.length,
      pickedUp.length + tooHeavy.filter(({ inHand }) => inHand === null).length,
    ),
  }
}

function vehicleOf(deliveries: readonly Delivery[]): FittedModel["vehicle"] {
  return {
    load: fitDuration(between(deliveries, "atStore", "loaded")),
    dropOff: fitDuration(between(deliveries, "atCustomer", "unloaded")),
  }
}

function errandsOf(errands: readonly Errand[], span: ObservedSpan): FittedErrands | null {
  if (errands.length === 0) return null
  const ended = errands.filter(({ ended: at }) => at !== null)
  const left = ended.filter(
    ({ reserved, ordered, canceled, booked }) =>
      reserved !== null && ordered === null && canceled === null && booked === null,
  )
  const paying = errands.filter(({ paid, declinedCard }) => paid !== null || declinedCard !== null)
  const isDeclined = ({ paid, declinedCard }: Errand): boolean =>
    declinedCard !== null && (paid === null || declinedCard < paid)
  const booked = errands.filter((errand) => errand.booked !== null)
  // An agent also cancels because the fee was declined; that is no decision of the customer.
  const canceled = ended.filter((errand) => errand.canceled !== null && !isDeclined(errand))
  return {
    count: errands.length,
    stores: byKey(errands, ({ storeId }) => storeId).map(([storeId, own]) => ({
      storeId,
      arrivals: fitArrivals(
        own.map(({ createdMs }) => createdMs),
        span,
      ),
    })),
    reservesAfter: fitDuration(between(errands, "createdMs", "reserved")),
    paysAfter: fitDuration(between(errands, "reserved", "paymentSent")),
    confirmsAfter: fitDuration(
      between(
        errands.filter((errand) => !isDeclined(errand)),
        "paid",
        "ordered",
      ),
    ),
    givesUp: shareOf(left.length, ended.filter(({ reserved }) => reserved !== null).length),
    declinedCards: shareOf(paying.filter(isDeclined).length, paying.length),
    customerAbsent: shareOf(booked.filter(({ failed }) => failed !== null).length, booked.length),
    cancel: shareOf(canceled.length, ended.length),
    cancelAfter: fitDuration(between(canceled, "createdMs", "canceled")),
  }
}

interface Known {
  readonly visits: readonly Visit[]
  readonly deliveries: readonly Delivery[]
  readonly observations: Observations
}

function unknownOf({ visits, deliveries, observations }: Known): readonly string[] {
  const open = visits.filter(({ ended }) => ended === null).length
  return [
    "Bookings that were refused are not in a journal: the demand is that of accepted ones.",
    "Places are not in a journal: sites lie where this model puts them.",
    ...(visits.length === 0
      ? []
      : [
          "Runners are those who had a task; idle ones and shifts are not in a journal.",
          "Cooks are not in a journal: each store makes any number of orders at once, beginning 15 minutes before they are due.",
          "Preparation is estimated from runners who waited; of other orders only the latest end is known.",
          "A bot that waited for its stall is taken for a late one.",
        ]),
    ...(deliveries.length === 0
      ? []
      : [
          "Speeds, ways, breakdowns and charging of vehicles are not in a journal: the defaults hold.",
          "Loading of a vehicle includes the wait for the order.",
        ]),
    ...(observations.errands.length === 0
      ? []
      : [
          "When a store says that an errand's order is ready is not in a journal: the default holds.",
          "Errands that are declined at the check are not in the demand.",
        ]),
    ...(open === 0 ? [] : [`${open} reservations had not ended; they count for arrivals alone.`]),
  ]
}
