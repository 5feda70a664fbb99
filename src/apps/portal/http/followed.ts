/** What deliveries and reservations both have: a list with filters, a cancellation, the events that were sent, the timeline. */

import { Effect } from "effect"
import type { Schema } from "effect"
import type { Partner } from "../../../model/caller.ts"
import { CancelDeliveryRequest } from "../../../model/requests/portal.ts"
import type { AnySchema } from "../../../model/values/schema.ts"
import { decodeOptionalBody, decodeQuery } from "../../../http/endpoint.ts"
import { pageSchema } from "../../../http/pages.ts"
import type { PortalEvent } from "../portal-events.ts"
import type { PortalRefusal } from "../refusals.ts"
import type { TimelineLine } from "../timeline.ts"
import { ENVIRONMENT_PARAMETER, READS, partnerIn } from "./endpoint.ts"
import type { MemberEndpoint, PortalOffer } from "./endpoint.ts"
import { EventsAnswer, TimelineAnswer, eventRecord, timelineRecord } from "./portal-events.ts"

type Done<A, R> = Effect.Effect<A, PortalRefusal, R>
type Described = Pick<PortalOffer, "errors" | "operationId" | "path" | "summary">

interface List<Request, Wire, R> extends Described, Pick<PortalOffer, "parameters"> {
  /** The field of the answer with the rows. */
  readonly noun: string
  readonly row: AnySchema
  readonly request: Schema.Schema<Request, Wire>
  readonly read: (caller: Partner, request: Request) => Done<object, R>
}

export function list<Request, Wire, R>({
  noun,
  row,
  request,
  parameters,
  read,
  ...offer
}: List<Request, Wire, R>): MemberEndpoint<R> {
  return {
    ...READS,
    ...offer,
    parameters: [ENVIRONMENT_PARAMETER, ...parameters],
    answers: { 200: pageSchema(noun, row) },
    handle: (ask) =>
      Effect.gen(function* () {
        const caller = yield* partnerIn(ask)
        const wanted = yield* decodeQuery(request, ask.query, parameters)
        return { status: 200, data: yield* read(caller, wanted) }
      }),
  }
}

interface Cancellation<R> extends Described {
  readonly answer: AnySchema
  readonly cancel: (caller: Partner, id: string, reason: string | null) => Done<object, R>
}

export function cancellation<R>({ answer, cancel, ...offer }: Cancellation<R>): MemberEndpoint<R> {
  return {
    ...offer,
    method: "POST",
    asks: "member",
    parameters: [ENVIRONMENT_PARAMETER],
    body: CancelDeliveryRequest,
    isBodyOptional: true,
    answers: { 200: answer },
    handle: (ask) =>
      Effect.gen(function* () {
        const caller = yield* partnerIn(ask)
        const request = yield* decodeOptionalBody(CancelDeliveryRequest, ask.body)
        const reason = request.cancellation_reason ?? request.reason ?? null
        return { status: 200, data: yield* cancel(caller, ask.id, reason) }
      }),
  }
}

interface History<R> {
  /** `/portal/api/deliveries/{id}` */
  readonly path: string
  /** "Delivery", as in the operation's id `listDeliveryEvents`. */
  readonly name: string
  readonly events: (caller: Partner, id: string) => Done<readonly PortalEvent[], R>
  readonly timeline: (caller: Partner, id: string) => Done<readonly TimelineLine[], R>
}

/** What was sent for one, and what happened to it. */
export function history<R>({ path, name, ...read }: History<R>): readonly MemberEndpoint<R>[] {
  return [
    {
      ...READS,
      path: `${path}/events`,
      operationId: `list${name}Events`,
      summary: "The newest 100 events that were sent for it, with every attempt, newest first, for 30 days",
      answers: { 200: EventsAnswer },
      handle: (ask) =>
        Effect.gen(function* () {
          const events = yield* read.events(yield* partnerIn(ask), ask.id)
          return { status: 200, data: { events: events.map(eventRecord) } }
        }),
    },
    {
      ...READS,
      path: `${path}/timeline`,
      operationId: `read${name}Timeline`,
      summary: "What happened to it, from its journal: instants, events, and states in words",
      answers: { 200: TimelineAnswer },
      handle: (ask) =>
        Effect.gen(function* () {
          const timeline = yield* read.timeline(yield* partnerIn(ask), ask.id)
          return { status: 200, data: { timeline: timeline.map(timelineRecord) } }
        }),
    },
  ]
}
