/** Tools over the sandbox of a host, under a partner's key: the calls that the partner's program makes, and what happened. */

import { randomUUID } from "node:crypto"
import { Schema } from "effect"
import { AdvanceClockRequest } from "../../model/values/clock.ts"
import { StartScenarioRequest } from "../../model/courses.ts"
import { EXCEPTION_CODES } from "../../model/handoff.ts"
import { CreateReservationRequest } from "../../model/requests/requests.ts"
import { NOTHING, PathId, tool } from "./tool.ts"
import type { AgentTool } from "./tool.ts"

/** A call of an API under the partner's key. */
export interface ApiCall {
  readonly path: string
  /** With a body the call is a POST. */
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers are read field by field; the service's documents say what is in them. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type ApiData = any

/** The `data` of an answer. Rejects with a ToolFailed that says what was refused. */
export type AskApi = (call: ApiCall) => Promise<ApiData>

const Id = PathId.annotations({ description: "Such as res_… of a reservation." })

export function sandboxTools(askApi: AskApi): readonly AgentTool[] {
  const ask: Ask = async (call, shown = (data) => data) => JSON.stringify(shown(await askApi(call)), null, 1)
  return [...readingTools(ask), ...changingTools(ask)]
}

/** The answer as a text; `shown` chooses what of it. */
type Ask = (call: ApiCall, shown?: (data: ApiData) => object) => Promise<string>

function readingTools(ask: Ask): readonly AgentTool[] {
  return [
    tool({
      name: "list_places",
      title: "Where visits can be booked",
      description: "Sites, zones and retailers of the sandbox that the key may book.",
      schema: NOTHING,
      run: () => ask({ path: "/rs/v1/retailers" }),
    }),
    tool({
      name: "read_reservation",
      title: "Read a reservation",
      description: "A reservation as it stands.",
      schema: Schema.Struct({ id: Id }),
      run: ({ id }) => ask({ path: `/rs/v1/reservations/${encodeURIComponent(id)}` }),
    }),
    tool({
      name: "search_events",
      title: "Search events",
      description:
        "Events of the sandbox in the last seven days, oldest first, with the bytes that webhooks had. `cursor` goes on from a last answer.",
      schema: Schema.Struct({
        subject_id: Schema.optional(
          Schema.String.annotations({ description: "Only those of this reservation or delivery." }),
        ),
        cursor: Schema.optional(Schema.String),
      }),
      run: async ({ subject_id: subject, cursor }) => {
        const query = new URLSearchParams(cursor === undefined ? { limit: "100" } : { limit: "100", cursor })
        return ask({ path: `/sandbox/v1/events?${query.toString()}` }, (page) => ({
          ...page,
          events: page.events.filter(
            ({ subject_id }: ApiData) => subject === undefined || subject_id === subject,
          ),
        }))
      },
    }),
    tool({
      name: "read_clock",
      title: "Read the clock",
      description: "The sandbox's clock of the organization, and its next timer.",
      schema: NOTHING,
      run: () => ask({ path: "/sandbox/v1/clock" }),
    }),
    tool({
      name: "list_failures",
      title: "What may fail",
      description:
        "What may go wrong with a delivery or a reservation, with its steps: the names that `fail` takes.",
      schema: NOTHING,
      run: () => ask({ path: "/sandbox/v1/scenarios" }),
    }),
  ]
}

function changingTools(ask: Ask): readonly AgentTool[] {
  return [
    tool({
      name: "create_reservation",
      title: "Create a reservation",
      description: "Books an arrival window. list_places has the ids.",
      writes: "reservations:write",
      schema: CreateReservationRequest,
      run: (_, body) =>
        ask({ path: "/rs/v1/reservations", body, headers: { "Idempotency-Key": randomUUID() } }),
    }),
    tool({
      name: "advance",
      title: "Take the next step",
      description: "Takes the next step of a reservation's visit, or raises the exception that is named.",
      writes: "reservations:write",
      schema: Schema.Struct({
        id: Id,
        reason_code: Schema.optional(Schema.Literal(...EXCEPTION_CODES)),
      }),
      run: ({ id, reason_code }) =>
        ask({
          path: `/rs/v1/reservations/${encodeURIComponent(id)}/advance`,
          body: reason_code === undefined ? {} : { reason_code },
        }),
    }),
    tool({
      name: "move_clock",
      title: "Move the clock",
      description:
        "Moves the sandbox's clock forwards: `by` a duration such as PT15M, or `to` an instant or next_timer.",
      writes: "sandbox:manage",
      schema: AdvanceClockRequest,
      run: (_, body) => ask({ path: "/sandbox/v1/clock/advance", body }),
    }),
    tool({
      name: "fail",
      title: "Make something fail",
      description:
        "Plays one of list_failures, for a reservation or delivery that is there, or for a new one.",
      writes: "sandbox:manage",
      schema: StartScenarioRequest,
      run: (_, body) => ask({ path: "/sandbox/v1/scenarios", body }),
    }),
  ]
}
