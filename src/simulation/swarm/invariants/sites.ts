/** What belongs to one site: bookings and their stays, what people reach, calls to runners, and the days of its own time zone. */

import { Effect, Runtime } from "effect"
import { Analytics } from "../../../areas/analytics/analytics.ts"
import type { Trends } from "../../../areas/analytics/analytics.ts"
import { stallSessions } from "../../../areas/analytics/rows.ts"
import type { CatalogSite } from "../../../areas/catalog/rows.ts"
import { deliveries } from "../../../areas/direct-delivery/rows.ts"
import { deliveryRowOf, vehicleIdOf } from "../../scenario/direct-delivery/do-delivery.ts"
import { reservations } from "../../../areas/reservations/rows.ts"
import type { RunnerCall } from "../../../areas/runner-phones/runner-calls.ts"
import { idOf, kindOf } from "../../../model/address.ts"
import { SESSION_REFUSALS } from "../../../model/values/errors.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { memoryRowsOf } from "../../../engine/memory/memory-tables.ts"
import { openedBy } from "../../outside-world.ts"
import { textIfGiven } from "../../scenario/language/field-values.ts"
import type { RunContext } from "../../scenario/run-context.ts"
import { deliverySiteIdOf, deliverySitesOf, siteIdOf, storeOf } from "../../scenario/language/worlds.ts"
import type { Answered, SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"
import type { Move, Plan } from "../plan.ts"
import { contextOf } from "../seen.ts"

const hasPeople = ({ world: { runners, operators } }: Plan): boolean =>
  runners !== undefined || operators !== undefined

export const DAYS_OF_SITES = "the days of a site's figures are those of its own time zone"

export const SITE_INVARIANTS: readonly SwarmInvariant[] = [
  { sentence: "a booking is kept at the site that it names", check: bookedAtSite },
  {
    sentence: "people reach what is at their sites, and nothing of another site",
    // A restored backup does not have what was made after it.
    holdsFor: (plan) => hasPeople(plan) && plan.faults.restoresAtMs === null,
    where: "only with runners or operators; not with a restored backup",
    check: withinSites,
  },
  { sentence: "a stay is counted at the site of its stall", check: staysAtSites },
  { sentence: "a vehicle carries orders only of the stores that its fleet serves", check: ownFleets },
  { sentence: "a compartment is opened by the fleet that carries its order", check: openedByFleet },
  { sentence: DAYS_OF_SITES, check: localDays },
]

/** The site of a zone, by the world that was written. */
function siteOfZone({ world }: RunContext, zoneId: string): CatalogSite | undefined {
  return world.sites.find(({ zones }) => zones.some((zone) => zone.zoneId === zoneId))
}

function siteIdOfReservation(run: RunContext, id: string): string | undefined {
  const zoneId = memoryRowsOf(run.service.host.store, reservations).get(id)?.zoneId
  return zoneId === undefined ? undefined : siteOfZone(run, zoneId)?.siteId
}

/** The site of the booking or of the order that a move is about; of a vehicle, every site that its fleet serves. */
function sitesOfSubject(run: RunContext, { act }: Move): readonly string[] {
  const name = act.for ?? ""
  if (act.verb === "do" && act.command.startsWith("vehicle.")) {
    const fields = run.scenario.delivery?.vehicles.find(({ as }) => as === name)?.fields ?? {}
    const { fleetId } = storeOf(run.scenario, textIfGiven(fields, "site"))
    return deliverySitesOf(run.scenario)
      .filter((site) => site.fleetId === fleetId)
      .map(({ siteId }) => siteId)
  }
  if (act.verb === "do" && act.command.startsWith("delivery.")) {
    const row = deliveryRowOf(run, name)
    return row === null ? [] : [row.siteId]
  }
  const id = run.reservationId(name)
  const siteId = id === null ? undefined : siteIdOfReservation(run, id)
  return siteId === undefined ? [] : [siteId]
}

function bookedAtSite({ run }: Watched): SwarmCheck {
  const rows = memoryRowsOf(run.service.host.store, reservations)
  return {
    onAnswered: ({ move: { act }, outcome }) => {
      if (act.verb !== "do" || act.command !== "reservation.create" || outcome.type !== "taken") return null
      const { reservation } = outcome.value as { readonly reservation: { readonly reservation_id: string } }
      const row = rows.get(reservation.reservation_id)
      if (row === null || act.with["zone"] !== undefined) return null
      const named = siteIdOf(run, textIfGiven(act.with, "site"))
      const site = siteOfZone(run, row.zoneId)
      if (site?.siteId !== named)
        return `${row.reservationId}, booked at ${named}, is kept at ${site?.siteId}`
      const stalls = site.zones.flatMap((zone) => zone.stalls)
      return stalls.some(({ stallId }) => stallId === row.stallId)
        ? null
        : `${row.reservationId} of ${named} stands at ${row.stallId}, which is no stall of that site`
    },
  }
}

/** The sites of a person; null: all. */
function sitesOf({ run, plan }: Watched, name: string): readonly string[] | null {
  const { runners = [], operators = [] } = plan.world
  const operator = operators.find(({ as }) => as === name)
  const site = textIfGiven((operator ?? runners.find(({ as }) => as === name))?.fields ?? {}, "site")
  if (operator !== undefined && (site ?? "everywhere") === "everywhere") return null
  return [siteIdOf(run, site), deliverySiteIdOf(run, site)]
}

/** Nothing is said of a call that was turned away before its site mattered. */
const BEFORE_SITE: readonly string[] = [...Object.keys(SESSION_REFUSALS), "PERMISSION_DENIED", "lost"]

function withinSites(watched: Watched): SwarmCheck {
  const { run } = watched
  const sitesByMove = new Map<Move, readonly string[]>()
  return {
    onCalling: (move) => {
      const siteIds = sitesOfSubject(run, move)
      if (siteIds.length > 0) sitesByMove.set(move, siteIds)
      return null
    },
    onPerson: (answered) => {
      const { act } = answered.move
      const { outcome } = answered
      if (act.verb !== "do") return null
      const { by = "", command } = act
      const code = outcome.type === "refused" ? outcome.code : outcome.type
      const own = sitesOf(watched, by)
      if (BEFORE_SITE.includes(code)) return null
      if (command.startsWith("runners.") && outcome.type === "taken")
        return calledWithin({ run, own }, answered, outcome.value as RunnerCall)
      const siteIds = sitesByMove.get(answered.move)
      if (siteIds === undefined || answered.startedMs !== answered.endedMs) return null
      const isOwn = own === null || siteIds.some((siteId) => own.includes(siteId))
      // A vehicle of another fleet is not found either.
      if (isOwn && command === "delivery.reassign") return null
      return isOwn === (code !== "NOT_FOUND")
        ? null
        : `${command} by ${by}, of ${own?.join(", ") ?? "all sites"}, at ${siteIds.join(", ")} was answered ${code}`
    },
  }
}

function calledWithin(
  { run, own }: { readonly run: RunContext; readonly own: readonly string[] | null },
  { move: { act } }: Answered,
  { callId, siteId }: RunnerCall,
): string | null {
  if (own !== null && !own.includes(siteId))
    return `the call ${callId} of ${siteId} is seen at ${own.join(", ")}`
  const named = siteIdOf(run, textIfGiven(act.with, "site"))
  return named === siteId ? null : `the call ${callId} of ${named} rings at ${siteId}`
}

/** The fleet of each delivery, by the store that it names in the world as it was written; an errand's is that of the connector. */
function fleetIdOfDelivery({ run }: Watched, deliveryId: string): string | undefined {
  const row = memoryRowsOf(run.service.host.store, deliveries).get(deliveryId)
  if (row === null) return undefined
  if (row.storePlace !== null) return storeOf({}).fleetId
  return deliverySitesOf(run.scenario).find(({ siteId }) => siteId === row.siteId)?.fleetId
}

function ownFleets(watched: Watched): SwarmCheck {
  const { run, plan } = watched
  const fleetByVehicle = new Map(
    (plan.world.delivery?.vehicles ?? []).map(({ as, fields }) => [
      vehicleIdOf(as),
      storeOf(run.scenario, textIfGiven(fields, "site")).fleetId,
    ]),
  )
  return {
    onTurn: ({ group, entry }) => {
      if (entry === null || kindOf(group.address) !== "delivery") return null
      const vehicleId = String(contextOf(group, group.address)["vehicleId"])
      const [own, served] = [fleetByVehicle.get(vehicleId), fleetIdOfDelivery(watched, idOf(group.address))]
      return own === undefined || served === undefined || own === served
        ? null
        : `${group.address} of a store that ${served} serves is a run of ${vehicleId} of ${own}`
    },
  }
}

/** By the URLs that the plan gives to fleets. */
function openedByFleet(watched: Watched): SwarmCheck {
  const { run, plan } = watched
  const fleetsByUrl = new Map<string, Set<string>>()
  for (const { act } of plan.moves) {
    const url = act.with["open_url"]
    if (act.verb !== "do" || act.command !== "fleet.change" || typeof url !== "string") continue
    const { fleetId } = storeOf(run.scenario, textIfGiven(act.with, "site"))
    fleetsByUrl.set(url, (fleetsByUrl.get(url) ?? new Set()).add(fleetId))
  }
  return {
    onReceived: (request) => {
      if (openedBy(request) !== "compartment") return null
      const { delivery_id } = JSON.parse(request.body) as { readonly delivery_id: string }
      const [asked, carries] = [fleetsByUrl.get(request.url), fleetIdOfDelivery(watched, delivery_id)]
      return asked === undefined || carries === undefined || asked.has(carries)
        ? null
        : `${[...asked].join(", ")} was asked to open the compartment of ${delivery_id}, which ${carries} carries`
    },
  }
}

function staysAtSites({ run }: Watched): SwarmCheck {
  const { store } = run.service.host
  const sessions = memoryRowsOf(store, stallSessions)
  const rows = memoryRowsOf(store, reservations)
  return {
    onEnd: () => {
      for (const { sessionId, siteId, stallId } of sessions.all()) {
        if (kindOf(sessionId) !== "reservation") continue
        const row = rows.get(idOf(sessionId))
        const own = row === null ? undefined : siteOfZone(run, row.zoneId)?.siteId
        if (own !== siteId || stallId !== row?.stallId)
          return `the stay of ${sessionId} is at ${siteId} and ${stallId}, and its stall ${row?.stallId} is at ${own}`
      }
      return null
    },
  }
}

function localDays({ run }: Watched): SwarmCheck {
  return { onEnd: () => Runtime.runSync(run.service.runtime)(wrongDayOfSites(run)) }
}

/** The days of each site by its own calendar, written with the calendar of the platform and no code of the service. */
export const wrongDayOfSites = Effect.fnUntraced(function* (run: RunContext) {
  const sessions = memoryRowsOf(run.service.host.store, stallSessions)
  const analytics = yield* Analytics
  for (const { siteId, timezone } of run.world.sites) {
    const stays = sessions
      .all()
      .filter((one) => one.siteId === siteId && one.environment === run.scenario.environment)
    if (stays.length === 0) continue
    const timeZone = timezone ?? "UTC"
    const wanted = { siteId, period: "month", granularity: "day" } as const
    const trends = yield* Effect.orDie(analytics.trends(run.operations, wanted))
    const found = wrongDay(trends, { timeZone, startsMs: stays.map(({ startsAtMs }) => startsAtMs) })
    if (found !== null) return `${siteId} in ${timeZone}: ${found}`
  }
  return null
})

interface Stays {
  readonly timeZone: string
  readonly startsMs: readonly EpochMs[]
}

function wrongDay({ points }: Trends, { timeZone, startsMs }: Stays): string | null {
  const dayOf = (ms: EpochMs): string =>
    new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(ms)
  for (const { bucket_start, session_count } of points) {
    const beginMs = Date.parse(bucket_start)
    const day = dayOf(beginMs)
    if (dayOf(beginMs - MINUTE_MS) === day)
      return `a day begins at ${bucket_start}, which is no midnight there`
    const began = startsMs.filter((ms) => dayOf(ms) === day).length
    if (began !== session_count) return `${day} counts ${session_count} stays, and ${began} began then`
  }
  const counted = points.reduce((sum, { session_count }) => sum + session_count, 0)
  return counted === startsMs.length
    ? null
    : `the days of a month count ${counted} stays, and there were ${startsMs.length}`
}
