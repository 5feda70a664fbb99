/** The inspector of the running service, over its store. */

import { Effect, Layer } from "effect"
import { HeadSum } from "../../engine/kernel/hash.ts"
import type { ActorHost } from "../../engine/services/host.ts"
import { AskedByWhom } from "../../apps/inspector/asked-by.ts"
import { GroupZones } from "../../apps/inspector/group-zones.ts"
import { Inspection } from "../../apps/inspector/inspection.ts"
import { RecordTexts } from "../../apps/inspector/record-texts.ts"
import type { RecordedGroup } from "../../apps/inspector/record-texts.ts"
import { EventSending } from "../../apps/inspector/sending.ts"
import type { RetentionTask } from "../../engine/services/retention/retention.ts"
import { inspectionTasks } from "../../apps/composition/retention-tasks.ts"
import { entryLine } from "../../simulation/run-record.ts"
import type { Database } from "../../engine/store/database.ts"
import { layerHoldsInSql } from "../../areas/courier/store/holds.ts"
import { layerDeliveryStore } from "../../areas/direct-delivery/store/delivery-rows.ts"
import { layerInspectedGroups } from "../../apps/inspector/store/inspected-groups.ts"
import { layerKeptBodies } from "../../apps/inspector/store/kept-bodies.ts"
import { layerTables } from "../../engine/store/sql-tables.ts"
import { OperatorAudit } from "../../apps/inspector/audit.ts"
import { OperatorSessionRows } from "../../apps/operators/operator-sessions.ts"
import { layerReservationRows } from "../../areas/reservations/store/reservation-rows.ts"
import { layerMeasuredSites } from "../../areas/analytics/store/sessions-sites.ts"
import { layerWebhookLogRows } from "../../areas/direct-delivery/store/webhook-log.ts"
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
    Layer.merge(OperatorAudit.layer, OperatorSessionRows.layer).pipe(Layer.provide(layerTables)),
  ),
)

export type InspectorServices = AskedByWhom | EventSending | Inspection | OperatorAudit

/** All services of the inspector, over the live service and a database. */
export function layerLiveInspector(
  maker: RecordMaker,
): Layer.Layer<InspectorServices, never, ActorHost | Database> {
  const zones = GroupZones.layer.pipe(
    Layer.provide([layerDeliveryStore, layerMeasuredSites, layerReservationRows, layerWebhookLogRows]),
    Layer.provide(layerHoldsInSql),
  )
  const rows = Layer.mergeAll(layerInspectedGroups, layerKeptBodies, layerRecordTexts(maker), zones)
  return Layer.mergeAll(AskedByWhom.layer, Inspection.layer, EventSending.layer).pipe(
    Layer.provideMerge(OperatorAudit.layer.pipe(Layer.provide(layerTables))),
    Layer.provide(rows),
  )
}
