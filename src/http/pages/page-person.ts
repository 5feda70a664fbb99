/** A call from a page of another person counts as signed out: the session of the browser is not the page's. */

import type { FastifyRequest } from "fastify"
import { TurnedAway } from "../../model/values/errors.ts"
import { PERSON_HEADER } from "../../model/page-person.ts"

/** Callers other than pages send no such header. */
export function requirePersonOfPage({ headers }: FastifyRequest, person: string): void {
  const sent = headers[PERSON_HEADER]
  if (sent !== undefined && sent !== person) throw new TurnedAway({ code: "SIGN_IN_REQUIRED" })
}
