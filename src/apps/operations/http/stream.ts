/** `GET /internal/v1/sites/{id}/stream`: the live stream of one site, by `src/http/change-streams.ts`. */

import { Effect } from "effect"
import type { FastifyInstance } from "fastify"
import type { Operator } from "../../../model/caller.ts"
import { Refused, TurnedAway } from "../../../model/values/errors.ts"
import type { Run } from "../../../http/bridge.ts"
import { LAST_EVENT_ID, STREAM_SUMMARY, sendStream } from "../../../http/change-streams.ts"
import type { ChangeStreams } from "../../../http/change-streams.ts"
import type { Part } from "../../../http/document-part.ts"
import { operatorOf } from "../../../http/gate.ts"
import { admitOperator, operatorIn, operatorsOf, sessionNameOf } from "../../operators/http/gate.ts"
import type { Host, OperatorGate } from "../../operators/http/gate.ts"
import { failures, tagOf } from "../../../http/openapi.ts"
import type { OperatedSites } from "../operated-sites.ts"
import { requireRight, rightOf } from "../permitted.ts"
import { namedIn } from "./permitted.ts"
import { SiteTopics } from "../site-topics.ts"

const STREAM_PATH = "/internal/v1/sites/{id}/stream"

interface StreamOptions {
  readonly streams: ChangeStreams
  readonly run: Run<OperatedSites | OperatorGate | SiteTopics>
  readonly host: Host
}

export function addSiteStream(app: FastifyInstance, { streams, run, host }: StreamOptions): void {
  const { environment } = host
  const right = rightOf("followSite")
  const topicsOf = (operator: Operator, siteId: string) =>
    run(
      Effect.zipRight(
        requireRight(right, operator, namedIn(siteId)),
        Effect.flatMap(SiteTopics, (topics) => topics.of(environment, siteId)),
      ),
    )
  app.get<{ Params: { id: string } }>(
    STREAM_PATH.replace("{id}", ":id"),
    { onRequest: admitOperator(run, host) },
    async (request, reply) => {
      const siteId = request.params.id
      const topics = await topicsOf(operatorOf(request), siteId)
      if (topics === null) throw new Refused({ code: "NOT_FOUND" })
      const allowed = async () => {
        try {
          const operator = await operatorIn(run, host, request)
          return operator === null ? null : await topicsOf(operator, siteId)
        } catch (failure) {
          if (failure instanceof TurnedAway || failure instanceof Refused) return null
          throw failure
        }
      }
      const session = sessionNameOf(request, host, operatorOf(request))
      const watcher = { session, scope: operatorsOf(environment), topics, allowed }
      return sendStream(streams, watcher, { request, reply })
    },
  )
}

/** For the document. */
export const siteStreamPath: Readonly<Record<string, Part>> = {
  [STREAM_PATH]: {
    get: {
      operationId: "followSite",
      tags: [tagOf(STREAM_PATH)],
      summary: STREAM_SUMMARY,
      parameters: [{ in: "path", name: "id", required: true, schema: { type: "string" } }, LAST_EVENT_ID],
      responses: {
        200: { description: "Done.", content: { "text/event-stream": {} } },
        ...failures(
          [
            "INVALID_OPERATOR_TOKEN",
            "SIGN_IN_REQUIRED",
            "NOT_FOUND",
            "RATE_LIMITED",
            "INTERNAL_ERROR",
            "UNAVAILABLE",
          ],
          ["X-Request-Id"],
        ),
      },
    },
  },
}
