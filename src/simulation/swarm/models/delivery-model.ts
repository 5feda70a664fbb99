/**
 * A small model of the direct delivery contract, written from its document alone: which answers a call may have. Source:
 * direct delivery contract, quote, states and transitions, errors.
 */

import { MINUTE_MS } from "../../../model/values/time.ts"
import { numberIfGiven, textIfGiven } from "../../scenario/language/field-values.ts"
import type { FieldValues, TimeRef } from "../../scenario/language/language.ts"
import type { Answered, SwarmCheck, Watched } from "../invariant.ts"
import type { Move } from "../plan.ts"
import { leafOf } from "../seen.ts"
import { deliveryRowOf } from "../../scenario/direct-delivery/do-delivery.ts"

interface Quoted {
  readonly isAvailable: boolean
  readonly expiresAtMs: number
}

const ORDER = [
  "SCHEDULED",
  "ASSIGNED",
  "EN_ROUTE_TO_STORE",
  "ARRIVED_AT_STORE",
  "WAITING_FOR_LOAD",
  "LOADED",
  "EN_ROUTE_TO_CUSTOMER",
  "ARRIVED_AT_CUSTOMER",
  "COMPLETED",
]

interface Known {
  readonly watched: Watched
  /** By store and external id. */
  readonly quotes: Map<string, Quoted>
  readonly statusByMove: Map<Move, string | null>
}

export function deliveryModel(watched: Watched): SwarmCheck {
  const known: Known = { watched, quotes: new Map(), statusByMove: new Map() }
  return {
    onAsked: (move) => {
      known.statusByMove.set(move, statusOf(watched, move))
      return null
    },
    onAnswered: (answered) => {
      const { act } = answered.move
      if (act.verb !== "do" || answered.outcome.type === "lost") return null
      if (act.command === "delivery.quote" || act.command === "delivery.requote")
        return quoted(answered, known)
      const code = answered.outcome.type === "taken" ? "taken" : answered.outcome.code
      const allowed = allowedFor(answered, known)
      if (allowed === null) return null
      if (!allowed.includes(code)) {
        const before = known.statusByMove.get(answered.move) ?? "nothing"
        return `${act.command} of a delivery that is ${before}: ${code}, and the contract allows ${allowed.join(", ")}`
      }
      return answered.outcome.type === "taken" ? statusAfter(answered, known) : null
    },
  }
}

/** The store that a call names: every one does where a plan has several. */
function storeOfMove({ act }: Move): string {
  return textIfGiven(act.with, "site") ?? "here"
}

/** What is given of that store; its price and its area are its own. */
function fieldsOf({ plan: { world } }: Watched, store: string): FieldValues {
  const further = (world.sites ?? []).find(({ as }) => as === store)
  return (store === "here" ? world.delivery?.fields : further?.fields) ?? {}
}

/** An external id is one of its store: the same at another store is another order. */
function orderOf(move: Move): string {
  const { act } = move
  const name = (act.verb === "do" ? act.as : null) ?? act.for ?? ""
  return `${storeOfMove(move)} ${name}`
}

function statusOf({ run }: Watched, move: Move): string | null {
  const { act } = move
  const name = (act.verb === "do" ? act.as : null) ?? act.for ?? ""
  const row = deliveryRowOf(run, name, storeOfMove(move))
  const group = row === null ? null : run.service.host.groups.get(`delivery/${row.deliveryId}`)
  return group === null ? null : leafOf(group, group.address).toUpperCase()
}

/** The price is the site's, the quote lasts five minutes, and an order outside the area is not available. */
function quoted(
  { move, outcome, startedMs }: Answered,
  { watched, quotes, statusByMove }: Known,
): string | null {
  const { act } = move
  const fields = fieldsOf(watched, storeOfMove(move))
  if (outcome.type !== "taken") {
    const code = outcome.type === "refused" ? outcome.code : "lost"
    const allowed = [
      ...(fields["active"] === false ? ["RETAILER_INACTIVE"] : []),
      ...(fields["configured"] === false ? ["RETAILER_NOT_CONFIGURED"] : []),
      ...(act.with["zip"] === undefined ? [] : ["GEOCODE_FAILED", "GEOCODING_UNAVAILABLE"]),
      ...(isReadyInPast(act.with) ? ["INVALID_READY_BY"] : []),
      ...((statusByMove.get(move) ?? statusOf(watched, move)) === null ? [] : ["DELIVERY_ALREADY_EXISTS"]),
    ]
    return allowed.includes(code) ? null : `a quote was refused with ${code}`
  }
  const { available, expires_at, delivery_fee_cents, unavailable_reason } = outcome.value as {
    readonly available: boolean
    readonly expires_at: string
    readonly delivery_fee_cents: number | null
    readonly unavailable_reason?: string | null
  }
  quotes.set(orderOf(move), { isAvailable: available, expiresAtMs: Date.parse(expires_at) })
  if (fields["configured"] === false) return "a site without area and price gave a quote"
  if (fields["active"] === false) return "a site that is not active gave a quote"
  if (Date.parse(expires_at) !== startedMs + 5 * MINUTE_MS)
    return `a quote lasts ${Date.parse(expires_at) - startedMs} ms`
  const price = numberIfGiven(fields, "price_cents") ?? 799
  if (available && delivery_fee_cents !== price) return `a quote costs ${delivery_fee_cents}, not ${price}`
  const areaM = (numberIfGiven(fields, "area_km") ?? 5) * 1000
  const isOutside = act.with["zip"] === undefined && Math.abs(Number(act.with["north_m"])) > areaM
  if (isOutside && (available || unavailable_reason !== "OUT_OF_SERVICE_AREA"))
    return "an order outside the area got a quote"
  const isReasonGiven = (unavailable_reason ?? null) !== null
  return available === isReasonGiven
    ? `a quote is ${available ? "" : "not "}available and says ${unavailable_reason}`
    : null
}

function isReadyInPast(values: FieldValues): boolean {
  const ready = values["ready_by"] as TimeRef | undefined
  return ready?.type === "offset" && ready.ms <= 0
}

function allowedFor({ move, startedMs }: Answered, known: Known): readonly string[] | null {
  const { act } = move
  if (act.verb !== "do") return null
  const before = known.statusByMove.get(move) ?? null
  const isCallOfSite = CALLS_OF_SITE.includes(act.command) && !isUnknownAdvance(known, act.command)
  if (isCallOfSite && fieldsOf(known.watched, storeOfMove(move))["active"] === false)
    return ["RETAILER_INACTIVE"]
  switch (act.command) {
    case "delivery.create":
      return createCodes(known.quotes.get(orderOf(move)), before, startedMs)
    case "delivery.read":
      return [before === null ? "DELIVERY_NOT_FOUND" : "taken"]
    case "delivery.cancel":
      return [before === null ? "DELIVERY_NOT_FOUND" : before === "COMPLETED" ? "INVALID_STATE" : "taken"]
    case "delivery.advance":
      if (isUnknownAdvance(known, act.command)) return ["NOT_FOUND"]
      if (before === null) return ["DELIVERY_NOT_FOUND"]
      return [before === "COMPLETED" || before === "CANCELLED" ? "INVALID_STATE" : "taken"]
    default:
      return null
  }
}

const CALLS_OF_SITE: readonly string[] = [
  "delivery.advance",
  "delivery.cancel",
  "delivery.create",
  "delivery.read",
]

/** Production has no such call, whatever the site. */
function isUnknownAdvance({ watched }: Known, command: string): boolean {
  return command === "delivery.advance" && watched.plan.world.environment === "production"
}

function createCodes(quote: Quoted | undefined, before: string | null, nowMs: number): readonly string[] {
  if (before !== null) return ["taken", "DELIVERY_ALREADY_EXISTS"]
  if (quote === undefined) return ["QUOTE_NOT_FOUND", "RETAILER_NOT_CONFIGURED"]
  const wrong = [
    ...(nowMs >= quote.expiresAtMs ? ["QUOTE_EXPIRED"] : []),
    ...(quote.isAvailable ? [] : ["QUOTE_UNAVAILABLE"]),
  ]
  return wrong.length > 0 ? wrong : ["taken", "NO_CAPACITY"]
}

/** A create starts at SCHEDULED, an advance takes one step, a cancel ends. */
function statusAfter({ move, outcome }: Answered, { statusByMove }: Known): string | null {
  const { act } = move
  if (outcome.type !== "taken" || act.verb !== "do") return null
  const before = statusByMove.get(move) ?? null
  const value = outcome.value as { readonly status?: string; readonly delivery?: { readonly status: string } }
  const after = value.delivery?.status ?? value.status
  const wanted =
    act.command === "delivery.cancel"
      ? "CANCELLED"
      : act.command === "delivery.advance"
        ? ORDER[ORDER.indexOf(before ?? "") + 1]
        : before === null
          ? "SCHEDULED"
          : before
  return after === wanted
    ? null
    : `${act.command} of a delivery that is ${before ?? "nothing"} answered ${after}, not ${wanted}`
}
