/** `GET /runner/api/stream`: the live stream of a phone's site, by `src/http/change-streams.ts`. */

import { Effect } from "effect"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { phoneScope } from "../../../areas/runner-phones/http/operator-phones.ts"
import type { PairedPhone } from "../../../areas/runner-phones/runner-phones.ts"
import type { Run } from "../../../http/bridge.ts"
import { sendStream } from "../../../http/change-streams.ts"
import type { ChangeStreams } from "../../../http/change-streams.ts"
import { Refused, TurnedAway } from "../../../model/values/errors.ts"
import { SiteTopics } from "../../operations/site-topics.ts"
import { requireSameOrigin } from "../../../http/pages/own-pages.ts"
import type { Topic } from "../../../engine/services/changed-groups.ts"

interface StreamOptions {
  readonly streams: ChangeStreams
  readonly run: Run<SiteTopics>
  readonly baseUrl: string
  /** The phone of a request's session; rejects without one. */
  readonly phoneOf: (request: FastifyRequest) => Promise<PairedPhone>
}

export function addPhoneStream(
  app: FastifyInstance,
  path: string,
  { streams, run, baseUrl, phoneOf }: StreamOptions,
): void {
  const topicsOf = ({ environment, siteId }: PairedPhone): Promise<readonly Topic[] | null> =>
    run(
      Effect.map(
        Effect.flatMap(SiteTopics, (topics) => topics.of(environment, siteId)),
        // A phone shows reservations: vehicles of the fleet would only wake it.
        (topics) => topics?.filter((topic) => topic.startsWith("site/")) ?? null,
      ),
    )
  app.get(path, async (request, reply) => {
    requireSameOrigin(request, baseUrl)
    const phone = await phoneOf(request)
    const topics = await topicsOf(phone)
    if (topics === null) throw new Refused({ code: "NOT_FOUND", detail: "site" })
    const allowed = async (): Promise<readonly Topic[] | null> => {
      const still = await phoneOf(request).catch((cause: unknown) => {
        if (cause instanceof TurnedAway) return null
        throw cause
      })
      return still === null ? null : topicsOf(still)
    }
    const { phoneId } = phone
    const watcher = { session: `runner/${phoneId}`, scope: phoneScope(phoneId), topics, allowed }
    return sendStream(streams, watcher, { request, reply })
  })
}
