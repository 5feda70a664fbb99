/**
 * A dependency that is away for a while, such as the database: the same request may succeed later. The error that tells of it
 * has this property, so that an edge can answer 503 without knowing the store.
 */

export interface Outage {
  readonly isOutage: boolean
}

export function isOutage(error: unknown): boolean {
  return typeof error === "object" && error !== null && "isOutage" in error && error.isOutage === true
}

/** What an edge answers in `Retry-After` meanwhile: connections are tried again every second. */
export const OUTAGE_RETRY_SECONDS = 2
