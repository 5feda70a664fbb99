/**
 * An outage of a dependency, such as the database: the same request may succeed later. Errors about outages have this
 * property, so that the HTTP layer can answer 503 without importing the store.
 */

export interface Outage {
  readonly isOutage: boolean
}

export function isOutage(error: unknown): boolean {
  return typeof error === "object" && error !== null && "isOutage" in error && error.isOutage === true
}

/** Value of `Retry-After` during an outage. Connections are retried every second. */
export const OUTAGE_RETRY_SECONDS = 2
