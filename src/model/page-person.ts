/** Whose a page is. */

/**
 * Pages send it with each call: the person for whom the service wrote the page. All tabs of a browser share one session,
 * and a page must not act for the person who has signed in since in another tab.
 */
export const PERSON_HEADER = "x-curbline-person"

/** The person of a portal's page: an account in one of its organizations. */
export function personIn(accountId: string, organizationId: string): string {
  return `${accountId}/${organizationId}`
}
