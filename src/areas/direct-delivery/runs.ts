/** Deliveries as runs of vehicles: direct delivery's part of the port of dispatch. */

import { Effect, Layer } from "effect"
import { Runs } from "../dispatch/runs.ts"
import type { Run } from "../dispatch/runs.ts"
import type { ActorHost } from "../../engine/services/host.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { WebhookStore } from "../webhooks/store.ts"
import { announceLocation, readEndpoints } from "./announcements.ts"
import type { Announced } from "./announcements.ts"
import { DeliveryRows, DeliverySites } from "./rows.ts"
import type { DeliveryRow } from "./rows.ts"

type Needs = ActorHost | DeliveryRows | DeliverySites | WebhookStore

export const layerRuns: Layer.Layer<Runs, never, Needs> = Layer.effect(
  Runs,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    const rows = yield* DeliveryRows
    const sites = yield* DeliverySites
    // A run of this port is a delivery's row, which has been read.
    const rowOf = (run: Run): Announced => run as DeliveryRow
    return {
      byId: rows.byId,
      ofVehicle: rows.runsOf,
      prefetch: rows.prefetchRunsOf,
      pickup: ({ siteId, storePlace }) =>
        storePlace === null
          ? Routine.map(sites.byId(siteId), (site) => ({
              store: site?.place ?? null,
              hasSupervisor: site?.hasSupervisor ?? false,
              sharesTrips: site?.dispatchPolicy === "batching",
            }))
          : Routine.succeed({ store: storePlace, hasSupervisor: false, sharesTrips: false }),
      loads: ({ siteId }) => rows.loads(siteId),
      announceLocation: (run, fix, nonce) => provided(announceLocation(rowOf(run), fix, nonce), context),
      prepareLocation: (run) => Routine.asVoid(provided(readEndpoints(rowOf(run)), context)),
    }
  }),
)
