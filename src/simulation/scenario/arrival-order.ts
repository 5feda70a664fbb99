/** The fact `order`: the order in which a receiver accepted events. */

import { isAccepted } from "../outside-world.ts"
import type { ReceivedRequest } from "../outside-world.ts"
import { textIfGiven, textOf } from "./language/field-values.ts"
import type { Finding } from "./finding.ts"
import type { FieldValues } from "./language/language.ts"
import type { RunContext } from "./run-context.ts"

/** Holds if the receiver accepted events of these types one after the other; others may lie between them. */
export function findOrder(
  run: Pick<RunContext, "receivedBy" | "reservationId">,
  fields: FieldValues,
): Finding {
  const to = textOf(fields, "to")
  const wanted = fields["order"] as readonly string[]
  const accepted = typesIn(
    run.receivedBy(to).filter((request) => isAccepted(request) && isFor(run, request, fields)),
  )
  let found = 0
  for (const type of accepted) if (type === wanted[found]) found += 1
  return {
    holds: found === wanted.length,
    expected: `${to} accepts ${wanted.join(", then ")}`,
    actual: `${to} accepted ${accepted.length === 0 ? "nothing" : accepted.join(", then ")}`,
    group: null,
  }
}

/** The type of each event at its first acceptance. */
function typesIn(requests: readonly ReceivedRequest[]): readonly string[] {
  const known = new Set<string>()
  return requests.flatMap(({ headers }) => {
    const id = headers["X-Service-Event-Id"] ?? headers["X-Service-Delivery-Id"] ?? ""
    if (known.has(id)) return []
    known.add(id)
    return [headers["X-Service-Event-Type"] ?? headers["X-Service-Event"] ?? "an event without a type"]
  })
}

function isFor(
  run: Pick<RunContext, "receivedBy" | "reservationId">,
  { body }: ReceivedRequest,
  fields: FieldValues,
): boolean {
  const name = textIfGiven(fields, "for")
  if (name === undefined) return true
  const { data } = JSON.parse(body) as {
    readonly data: {
      readonly reservation?: { readonly reservation_id: string }
      readonly external_delivery_id?: string
    }
  }
  // A name is that of a reservation or of a delivery, never of both.
  return data.reservation === undefined
    ? data.external_delivery_id === name
    : data.reservation.reservation_id === run.reservationId(name)
}
