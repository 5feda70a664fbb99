/** `GET /portal/api/stream`: the live stream of an organization, by `src/http/change-streams.ts`. */

import { Effect } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Environment } from "../../../model/caller.ts"
import { ENVIRONMENTS } from "../../../model/caller.ts"
import { TurnedAway } from "../../../model/values/errors.ts"
import type { Topic } from "../../../engine/services/changed-groups.ts"
import type { PortalCaller } from "../caller.ts"
import { PortalSessions } from "../people/sessions.ts"
import type { Run } from "../../../http/bridge.ts"
import { LAST_EVENT_ID, STREAM_SUMMARY, sendStream } from "../../../http/change-streams.ts"
import type { ChangeStreams } from "../../../http/change-streams.ts"
import type { Part } from "../../../http/document-part.ts"
import { invalid } from "../../../http/errors.ts"
import { failures, tagOf } from "../../../http/openapi.ts"
import { requireSameOrigin } from "../../../http/pages/own-pages.ts"
import { visitorOf } from "./gate.ts"

const STREAM_PATH = "/portal/api/stream"

/** Names the streams of an organization's members for `ChangeStreams.recheck`. */
export function membersOf(organizationId: string): string {
  return `members of ${organizationId}`
}

interface StreamOptions {
  readonly streams: ChangeStreams
  readonly run: Run<PortalSessions>
  readonly baseUrl: string
  /** The caller of a request, who has been checked. */
  readonly callerOf: (request: FastifyRequest, reply: FastifyReply) => Promise<PortalCaller>
}

export function addStream(app: FastifyInstance, { streams, run, baseUrl, callerOf }: StreamOptions): void {
  app.get<{ Querystring: { environment?: string } }>(STREAM_PATH, async (request, reply) => {
    requireSameOrigin(request, baseUrl)
    const caller = await callerOf(request, reply)
    const asked = request.query.environment
    const environment = ENVIRONMENTS.find((one) => one === (asked ?? caller.session.environment))
    if (environment === undefined) throw invalid("environment", `must be ${ENVIRONMENTS.join(" or ")}`)
    const topics = topicsOf(caller, environment)
    if (topics === null) throw new TurnedAway({ code: "ORG_INACTIVE" })
    const { token } = visitorOf(request, baseUrl)
    const { organizationId } = caller.organization
    const allowed = (): Promise<readonly Topic[] | null> =>
      run(
        Effect.flatMap(PortalSessions, (sessions) => sessions.callerOf(token, "watch")).pipe(
          // A session can belong to another organization by now.
          Effect.map((now) =>
            now.organization.organizationId === organizationId ? topicsOf(now, environment) : null,
          ),
          Effect.catchAll(() => Effect.succeed(null)),
        ),
      )
    const watcher = {
      session: `portal/${caller.session.sessionId}`,
      scope: membersOf(organizationId),
      topics,
      allowed,
    }
    return sendStream(streams, watcher, { request, reply })
  })
}

/** Null in an environment without access. */
function topicsOf({ organization }: PortalCaller, environment: Environment): readonly Topic[] | null {
  const { organizationId, environments } = organization
  return environments.includes(environment) ? [`organization/${environment}/${organizationId}`] : null
}

/** For the document. */
export const streamPath: Readonly<Record<string, Part>> = {
  [STREAM_PATH]: {
    get: {
      operationId: "followChanges",
      tags: [tagOf(STREAM_PATH)],
      summary: STREAM_SUMMARY,
      parameters: [
        {
          in: "query",
          name: "environment",
          description: "Absent: what the session's development-mode switch says.",
          schema: { type: "string", enum: [...ENVIRONMENTS] },
        },
        LAST_EVENT_ID,
      ],
      responses: {
        200: { description: "Done.", content: { "text/event-stream": {} } },
        ...failures(
          [
            "SIGN_IN_REQUIRED",
            "ORG_INACTIVE",
            "CROSS_SITE_REQUEST",
            "RATE_LIMITED",
            "VALIDATION_ERROR",
            "INTERNAL_ERROR",
            "UNAVAILABLE",
          ],
          ["X-Request-Id"],
        ),
      },
    },
  },
}
