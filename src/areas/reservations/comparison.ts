/**
 * The comparison of idempotent retries: keyed digests of the first request's fields, which are kept after personal data
 * was blanked. Source: reservations contract, create reservation; the window is not compared.
 */

import { hmacHex } from "#digest"
import type { CreateReservationRequest } from "../../model/requests/requests.ts"

const DIGEST_LENGTH = 32

/** The compared values by field, in a fixed order: numbers by value, absent equals null. */
function comparedValues(request: CreateReservationRequest): Readonly<Record<string, unknown>> {
  const { max_weight_kg: weight, max_dimensions_cm: size } = request.payload_limit ?? {}
  return {
    zone_id: request.zone_id,
    retailer_id: request.retailer_id,
    order_number: request.order_number,
    end_user_name: request.end_user_name,
    end_user_phone: request.end_user_phone,
    open_link_url: request.open_link_url,
    retailer_pickup_ref: request.retailer_pickup_ref ?? null,
    payload_limit: [weight ?? null, size?.length ?? null, size?.width ?? null, size?.height ?? null],
  }
}

/** A digest for each field, separated by commas. */
export function comparisonOf(request: CreateReservationRequest, key: string): string {
  return Object.entries(comparedValues(request))
    .map(([field, value]) => digest(key, [field, value]).slice(0, DIGEST_LENGTH))
    .join(",")
}

/** The fields that differ from an earlier request; null if they differ and the stored digest does not show which. */
export function differingFields(
  kept: string,
  request: CreateReservationRequest,
  key: string,
): readonly string[] | null {
  const fields = Object.keys(comparedValues(request))
  const earlier = kept.split(",")
  // Rows from before fields had digests of their own.
  if (earlier.length !== fields.length) return kept === wholeDigest(request, key) ? [] : null
  const now = comparisonOf(request, key).split(",")
  return fields.filter((_, at) => earlier[at] !== now[at])
}

function wholeDigest(request: CreateReservationRequest, key: string): string {
  return digest(key, Object.values(comparedValues(request)).flat())
}

function digest(key: string, value: unknown): string {
  return hmacHex(key, JSON.stringify(value))
}
