/** What a stream of one site follows: its reservations and deliveries, and the vehicles of its fleet. */

import { Context, Effect, Layer } from "effect"
import type { Environment } from "../../model/caller.ts"
import { CatalogRows } from "../../areas/catalog/rows.ts"
import type { Topic } from "../../engine/services/changed-groups.ts"
import { Routine } from "../../engine/services/routine.ts"

export class SiteTopics extends Context.Tag("SiteTopics")<
  SiteTopics,
  {
    /** Null without such a site. */
    readonly of: (environment: Environment, siteId: string) => Routine<readonly Topic[] | null>
  }
>() {}

export const layerSiteTopics: Layer.Layer<SiteTopics, never, CatalogRows> = Layer.effect(
  SiteTopics,
  Effect.map(CatalogRows, ({ sites }) => ({
    of: (environment: Environment, siteId: string) =>
      Routine.map(sites.get(environment, siteId), (site) => {
        if (site === null) return null
        const own = `site/${environment}/${siteId}` as const
        return site.fleetId === null ? [own] : [own, `fleet/${environment}/${site.fleetId}` as const]
      }),
  })),
)
