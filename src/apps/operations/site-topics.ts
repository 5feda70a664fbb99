/** What a stream of one site follows: its reservations and deliveries, and the vehicles of its fleet. */

import type { Environment } from "../../model/caller.ts"
import { CatalogRows } from "../../areas/catalog/rows.ts"
import type { Topic } from "../../engine/services/changed-groups.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export class SiteTopics extends service<SiteTopics>()("SiteTopics", () => ({
  of: topicsOf,
})) {}

/** Null without such a site. */
const topicsOf = Routine.fn(function* (environment: Environment, siteId: string) {
  const { sites } = yield* CatalogRows
  const site = yield* sites.get(environment, siteId)
  if (site === null) return null
  const own = `site/${environment}/${siteId}` as const
  const topics: readonly Topic[] =
    site.fleetId === null ? [own] : [own, `fleet/${environment}/${site.fleetId}`]
  return topics
})
