/** Reservations, their bot reports, open links and ends over their declared tables. */

import { Effect, Layer } from "effect"
import { idOf } from "../../model/address.ts"
import { batch } from "../../engine/services/host.ts"
import { BLANK_PHONE, BLANK_TEXT } from "../../engine/services/retention/blanks.ts"
import {
  above,
  among,
  atLeast,
  atMost,
  below,
  contains,
  descending,
  ifGiven,
  notNull,
  oneOf,
} from "../../engine/services/tables/conditions.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import {
  IS_OPEN_RESERVATION,
  ReservationRows,
  botReports,
  openLinkBodies,
  reservationEndings,
  reservations,
} from "./rows.ts"

/** `loads`: SQL counts without reading the rows. */
export function reservationRowsOver(
  tables: Tables["Type"],
  loads: ReservationRows["Type"]["loads"],
): ReservationRows["Type"] {
  const rows = tables.of(reservations)
  const bodies = tables.of(openLinkBodies)
  const endings = tables.of(reservationEndings)
  const reports = tables.of(botReports)
  return {
    loads,
    ...searchesOver(tables),
    ...purgesOver(tables),
    insert: rows.insert,
    change: (reservationId, change) => rows.update({ reservationId }, change),
    byId: (reservationId) => rows.get({ reservationId }),
    addReport: reports.insert,
    reports: (reservationId) => reports.list({ reservationId }, { order: ["id"] }),
    freezeOpenLink: (actor, body) => bodies.insert({ actor, reservationId: idOf(actor), body }),
    openLinkBody: (actor) => Routine.map(bodies.get({ actor }), (found) => found?.body ?? null),
    noteEnd: (reservationId, endedAtMs) => endings.insertOrIgnore({ reservationId, endedAtMs }),
    forget: Routine.fn(function* (reservationId) {
      yield* rows.delete({ reservationId })
      yield* endings.delete({ reservationId })
      yield* reports.delete({ reservationId })
      yield* bodies.delete({ reservationId })
    }),
  }
}

function searchesOver(
  tables: Tables["Type"],
): Pick<ReservationRows["Type"], "byKey" | "list" | "openAt" | "openTasks"> {
  const rows = tables.of(reservations)
  return {
    byKey: ({ organizationId, environment, key }) =>
      rows.first({ organizationId, environment, idempotencyKey: key }),
    list: ({ organizationId, environment, zoneId, retailerId, orderNumber, limit, ...query }) =>
      rows.list(
        {
          organizationId,
          environment,
          status: ifGiven(query.statuses, (all) => among(...all)),
          zoneId: zoneId ?? undefined,
          retailerId: retailerId ?? undefined,
          orderNumber: [orderNumber ?? undefined, ifGiven(query.search, contains)],
          startsAtMs: [ifGiven(query.arrivalFromMs, atLeast), ifGiven(query.arrivalToMs, below)],
          number: ifGiven(query.beforeNumber, below),
        },
        { order: [descending("number")], limit },
      ),
    openAt: ({ environment, zoneIds, limit }) =>
      rows.list(
        { environment, zoneId: among(...zoneIds), status: IS_OPEN_RESERVATION },
        { order: ["endsAtMs", "number"], limit },
      ),
    openTasks: Routine.fn(function* ({ environment, zoneIds, after, limit }) {
      const where = { environment, zoneId: among(...zoneIds) }
      const options = { order: ["taskStagingAtMs", "number"], limit } as const
      if (after === null) return yield* rows.list({ ...where, taskStagingAtMs: notNull }, options)
      const { stagingAtMs, number } = after
      // Each part reads an index in its order.
      const [ofThatTime, later] = yield* batch([
        rows.list({ ...where, taskStagingAtMs: stagingAtMs, number: above(number) }, options),
        rows.list({ ...where, taskStagingAtMs: above(stagingAtMs) }, options),
      ])
      return [...ofThatTime, ...later].slice(0, limit)
    }),
  }
}

function purgesOver(tables: Tables["Type"]): Pick<ReservationRows["Type"], "blankEnded" | "purgeOpenLinks"> {
  const rows = tables.of(reservations)
  const bodies = tables.of(openLinkBodies)
  const endings = tables.of(reservationEndings)
  const reports = tables.of(botReports)
  const options = { order: ["endedAtMs"], lock: "skip locked" } as const
  const idsOf = (ended: readonly { readonly reservationId: string }[]) => ({
    reservationId: oneOf(...ended.map(({ reservationId }) => reservationId)),
  })
  return {
    blankEnded: Routine.fn(function* ({ beforeMs, limit }) {
      const ended = yield* endings.list({ endedAtMs: atMost(beforeMs) }, { ...options, limit })
      if (ended.length === 0) return 0
      const those = idsOf(ended)
      yield* rows.update(those, {
        endUserName: BLANK_TEXT,
        endUserPhone: BLANK_PHONE,
        exceptionMessages: {},
      })
      yield* rows.update({ ...those, cancelReason: notNull }, { cancelReason: BLANK_TEXT })
      yield* reports.update({ ...those, reason: notNull }, { reason: BLANK_TEXT })
      yield* bodies.delete(those)
      yield* endings.delete(those)
      return ended.length
    }),
    purgeOpenLinks: Routine.fn(function* ({ beforeMs, limit }) {
      const due = { endedAtMs: atMost(beforeMs), openLinksPurged: false }
      const ended = yield* endings.list(due, { ...options, limit })
      if (ended.length === 0) return 0
      const those = idsOf(ended)
      yield* bodies.delete(those)
      yield* endings.update(those, { openLinksPurged: true })
      return ended.length
    }),
  }
}

/** Cost: linear in the open reservations of the zone. */
export function plainLoads(tables: Tables["Type"]): ReservationRows["Type"]["loads"] {
  const rows = tables.of(reservations)
  return ({ environment, zoneId, startsAtMs, endsAtMs }) =>
    Routine.map(
      rows.list(
        {
          environment,
          zoneId,
          status: IS_OPEN_RESERVATION,
          startsAtMs: below(endsAtMs),
          endsAtMs: above(startsAtMs),
        },
        { order: "any" },
      ),
      (open) => {
        const loads = new Map<string, number>()
        for (const { stallId } of open) loads.set(stallId, (loads.get(stallId) ?? 0) + 1)
        return loads
      },
    )
}

export const layerPlainReservationRows: Layer.Layer<ReservationRows, never, Tables> = Layer.effect(
  ReservationRows,
  Effect.map(Tables, (tables) => reservationRowsOver(tables, plainLoads(tables))),
)
