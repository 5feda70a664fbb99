/** `/sandbox/v1/timelines/{id}`: what happened to a delivery or a reservation, step by step. */

import { Effect, Schema } from "effect"
import type { SandboxEndpoint } from "../../../http/endpoint.ts"
import { recordsOf } from "../../../http/records/records.ts"
import { LineShown } from "../../portal/http/portal-events.ts"
import { WhatHappened } from "../what-happened.ts"

const Line = Schema.Struct({
  ...LineShown.fields,
  published: Schema.Array(Schema.String).annotations({
    description: "Types of the events that the step published.",
  }),
}).annotations({ identifier: "SandboxTimelineLine" })

const lineRecord = recordsOf(Line)

const read: SandboxEndpoint<WhatHappened> = {
  method: "GET",
  path: "/sandbox/v1/timelines/{id}",
  operationId: "readTimeline",
  summary:
    "What happened to a delivery or a reservation, step by step, oldest first: what each actor took, its state before and after, and what it published; " +
    "also needs `deliveries:read` or `reservations:read`. `id`: of the reservation, or the delivery's own or external id",
  permissions: ["events:read"],
  budget: "requests",
  parameters: [],
  body: null,
  answers: { 200: Schema.Struct({ timeline: Schema.Array(Line) }) },
  errors: ["NOT_FOUND", "VALIDATION_ERROR"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      const lines = yield* (yield* WhatHappened).of(caller, id)
      return { status: 200, data: { timeline: lines.map(lineRecord) } }
    }),
}

export const timelines = [read]
