/** Errands in words. */

import type { FailureReason } from "../../../../model/courier.ts"

/** In the order of the form; the keys are the service's words. */
export const FAILURE_WORDS: Readonly<Record<FailureReason, string>> = {
  store_no_handover: "The store did not hand the order over",
  items_not_carriable: "The order cannot be carried",
  customer_unavailable: "The customer was not there to take it",
  vehicle_fault: "The vehicle failed",
}

/** `in_transit` as "in transit". */
export function inWords(word: string): string {
  return word.toLowerCase().replaceAll("_", " ")
}
