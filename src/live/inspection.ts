/** The inspector of the running service, over its store. */

import { Effect, Layer } from "effect"
import { HeadSum } from "../kernel/hash.ts"
import type { ActorHost } from "../services/host.ts"
import { layerAskedByWhom } from "../inspector/asked-by.ts"
import type { AskedByWhom } from "../inspector/asked-by.ts"
import type { OperatorAudit } from "../inspector/audit.ts"
import { layerGroupZones } from "../inspector/group-zones.ts"
import { layerInspection } from "../inspector/inspection.ts"
import type { Inspection } from "../inspector/inspection.ts"
import { RecordTexts } from "../inspector/record-texts.ts"
import type { RecordedGroup } from "../inspector/record-texts.ts"
import { layerEventSending } from "../inspector/sending.ts"
import type { EventSending } from "../inspector/sending.ts"
import type { RetentionTask } from "../services/retention/retention.ts"
import { inspectionTasks } from "../composition/retention-tasks.ts"
import { entryLine } from "../simulation/run-record.ts"
import type { Database } from "../store/database.ts"
import { layerHoldsInSql } from "../areas/courier/store/holds.ts"
import { layerDeliveryStore } from "../areas/direct-delivery/store/delivery-rows.ts"
import { layerInspectedGroups } from "../inspector/store/inspected-groups.ts"
import { layerKeptBodies } from "../inspector/store/kept-bodies.ts"
import { layerTables } from "../store/sql-tables.ts"
import { layerOperatorAudit } from "../inspector/operator-repository.ts"
import { layerOperatorSessionRows } from "../operators/operator-repository.ts"
import { layerReservationRows } from "../areas/reservations/store/reservation-rows.ts"
import { layerMeasuredSites } from "../areas/analytics/store/sessions-sites.ts"
import { layerWebhookLogRows } from "../areas/direct-delivery/store/webhook-log.ts"
import { RecordLines, firstLine, headOf } from "./record-lines.ts"
import type { RecordMaker, RecordScope } from "./record-lines.ts"

function layerRecordTexts(maker: RecordMaker): Layer.Layer<RecordTexts> {
  const first = firstLine(maker)
  return Layer.succeed(RecordTexts, {
    head: (group) => headOf(maker, scopeOf(group)),
    lines: ({ address, clock0Ms }, lines) =>
      lines
        .map(({ instantMs, ...entry }) => {
          const at = { s: first + entry.revision - 1, t: instantMs - clock0Ms }
          return `${entryLine({ group: address, ...entry }, at)}\n`
        })
        .join(""),
    writer: (group) => {
      const { address } = group
      const record = new RecordLines(maker, scopeOf(group))
      return {
        begin: () => record.begin(),
        entries: (lines) =>
          lines
            .map(({ instantMs, ...entry }) => record.entry({ group: address, ...entry }, instantMs))
            .join(""),
        end: (head) => {
          const sum = new HeadSum()
          sum.add(address, head)
          return record.end(sum.total())
        },
      }
    },
  })
}

function scopeOf({ address, clock0Ms, zone }: RecordedGroup): RecordScope {
  return { clock0Ms, zone, group: address }
}

/** Retention tasks of the inspector's rows. */
export const inspectionRetention: Effect.Effect<readonly RetentionTask[], never, Database> = Effect.provide(
  inspectionTasks,
  Layer.mergeAll(
    layerKeptBodies,
    Layer.merge(layerOperatorAudit, layerOperatorSessionRows).pipe(Layer.provide(layerTables)),
  ),
)

export type InspectorServices = AskedByWhom | EventSending | Inspection | OperatorAudit

/** All services of the inspector, over the live service and a database. */
export function layerLiveInspector(
  maker: RecordMaker,
): Layer.Layer<InspectorServices, never, ActorHost | Database> {
  const zones = layerGroupZones.pipe(
    Layer.provide([layerDeliveryStore, layerMeasuredSites, layerReservationRows, layerWebhookLogRows]),
    Layer.provide(layerHoldsInSql),
  )
  const rows = Layer.mergeAll(layerInspectedGroups, layerKeptBodies, layerRecordTexts(maker), zones)
  return Layer.mergeAll(layerAskedByWhom, layerInspection, layerEventSending).pipe(
    Layer.provideMerge(layerOperatorAudit.pipe(Layer.provide(layerTables))),
    Layer.provide(rows),
  )
}
