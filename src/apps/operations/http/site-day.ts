/** `GET /internal/v1/sites/{id}/today`: the day of a site so far as a course, for its replay. */

import { Effect } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { DAY_COMPLETE_UNTIL, dayAnswer } from "../../../model/replay/site-day.ts"
import { isoMs } from "../../../model/values/time.ts"
import { KeptBody } from "../../../http/bodies/kept-body.ts"
import type { Run } from "../../../http/bridge.ts"
import type { Part } from "../../../http/document-part.ts"
import { NOT_STORED } from "../../../http/errors.ts"
import { operatorOf } from "../../../http/gate.ts"
import { failures, tagOf } from "../../../http/openapi.ts"
import type { OperatedSites } from "../operated-sites.ts"
import { requireRight, rightOf } from "../permitted.ts"
import { SiteDays } from "../site-day.ts"
import type { DayText } from "../site-day.ts"
import { namedIn } from "./permitted.ts"

const PATH = "/internal/v1/sites/{id}/today"
const TYPE = "application/json; charset=utf-8"

/** By the text's object: a text is hashed and compressed once. */
const bodies = new WeakMap<DayText, KeptBody>()

/** An answer that is the same for every caller until something happens, and long: it is compressed, and has a validator. */
export function addSiteDay(
  app: FastifyInstance,
  run: Run<OperatedSites | SiteDays>,
  admitting: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  const right = rightOf("readSiteDay")
  app.get<{ Params: { id: string } }>(
    PATH.replace("{id}", ":id"),
    { onRequest: admitting },
    async (request, reply) => {
      const siteId = request.params.id
      const caller = operatorOf(request)
      const found = await run(
        Effect.zipRight(
          requireRight(right, caller, namedIn(siteId)),
          Effect.flatMap(SiteDays, (days) => days.of(caller, siteId)),
        ),
      )
      reply.headers(NOT_STORED)
      if (found.state !== "ready") return reply.type(TYPE).send(dayAnswer(siteId, found.state, null))
      reply.header(DAY_COMPLETE_UNTIL, isoMs(found.completeUntilMs))
      return bodyOf(found.written).send(request, reply)
    },
  )
}

function bodyOf(written: DayText): KeptBody {
  const known = bodies.get(written)
  if (known !== undefined) return known
  const made = new KeptBody(TYPE, written.text)
  bodies.set(written, made)
  return made
}

/** For the document. */
export const siteDayPath: Readonly<Record<string, Part>> = {
  [PATH]: {
    get: {
      operationId: "readSiteDay",
      tags: [tagOf(PATH)],
      summary:
        "The day of a site so far as a course, without people; one that is not there is begun. `If-None-Match` saves an answer that has no new facts",
      parameters: [{ in: "path", name: "id", required: true, schema: { type: "string" } }],
      responses: {
        200: {
          description: "Done.",
          headers: {
            [DAY_COMPLETE_UNTIL]: {
              required: false,
              description: "Everything that was known by then is part of it; absent unless it is ready.",
              schema: { type: "string", format: "date-time" },
            },
          },
          content: { "application/json": { schema: daySchema() } },
        },
        304: { description: "Nothing has happened since the answer with that `ETag`." },
        ...failures(
          ["INVALID_OPERATOR_TOKEN", "SIGN_IN_REQUIRED", "NOT_FOUND", "INTERNAL_ERROR", "UNAVAILABLE"],
          ["X-Request-Id"],
        ),
      },
    },
  },
}

function daySchema(): object {
  return {
    type: "object",
    required: ["success", "data"],
    properties: {
      success: { const: true },
      data: {
        type: "object",
        required: ["today"],
        properties: {
          today: {
            type: "object",
            required: ["site_id", "state", "day"],
            properties: {
              site_id: { type: "string" },
              state: { enum: ["being_made", "ready", "unavailable"] },
              day: {
                type: ["object", "null"],
                description:
                  "Null unless it is ready. `head`: the site and the day. `course`: its rows as base64 columns. `left_out`: what is not part of it.",
                required: ["head", "course", "left_out"],
                properties: {
                  head: { type: "object" },
                  course: { type: "object" },
                  left_out: {
                    type: "array",
                    items: {
                      type: "object",
                      required: ["what", "count"],
                      properties: { what: { type: "string" }, count: { type: "integer" } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  }
}
