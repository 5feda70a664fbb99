/** The site of a thing, for operators who may see some sites alone. */

import { Context, Effect, Layer } from "effect"
import { DeliveryRows } from "../areas/direct-delivery/rows.ts"
import { ReservationRows } from "../areas/reservations/rows.ts"
import { RunnerPhoneRows } from "../areas/runner-phones/rows.ts"
import { Places } from "./places.ts"
import { provided } from "../services/provided.ts"
import { Routine } from "../services/routine.ts"

/** What an endpoint's `{id}` names. */
export type OperatedKind = "delivery" | "reservation" | "runner phone" | "site"

export class OperatedSites extends Context.Tag("OperatedSites")<
  OperatedSites,
  {
    /** Null for a thing that does not exist, or that has no site. */
    readonly siteOf: (kind: OperatedKind, id: string) => Routine<string | null>
  }
>() {}

type Needs = DeliveryRows | Places | ReservationRows | RunnerPhoneRows

export const layerOperatedSites: Layer.Layer<OperatedSites, never, Needs> = Layer.effect(
  OperatedSites,
  Effect.map(Effect.context<Needs>(), (context): OperatedSites["Type"] => ({
    siteOf: (kind, id) => provided(siteOf(kind, id), context),
  })),
)

const siteOf = Routine.fn(function* (kind: OperatedKind, id: string) {
  switch (kind) {
    case "site":
      return id
    case "delivery":
      return (yield* (yield* DeliveryRows).byId(id))?.siteId ?? null
    case "runner phone":
      return (yield* (yield* RunnerPhoneRows).phone(id))?.siteId ?? null
    case "reservation": {
      const row = yield* (yield* ReservationRows).byId(id)
      if (row === null) return null
      const place = yield* (yield* Places).siteOfZone(row.environment, row.zoneId)
      return place?.siteId ?? null
    }
  }
})
