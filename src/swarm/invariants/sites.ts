/** What belongs to one site: bookings and their stays, what people reach, calls to runners, and the days of its own time zone. */

import { Effect, Runtime } from "effect"
import { Analytics } from "../../areas/analytics/analytics.ts"
import type { Trends } from "../../areas/analytics/analytics.ts"
import { stallSessions } from "../../areas/analytics/rows.ts"
import type { CatalogSite } from "../../areas/catalog/rows.ts"
import { reservations } from "../../areas/reservations/rows.ts"
import type { RunnerCall } from "../../areas/runner-phones/runner-calls.ts"
import { idOf, kindOf } from "../../model/address.ts"
import { SESSION_REFUSALS } from "../../model/errors.ts"
import { MINUTE_MS } from "../../model/time.ts"
import type { EpochMs } from "../../model/time.ts"
import { memoryRowsOf } from "../../simulation/memory-tables.ts"
import { textIfGiven } from "../../simulation/scenario/field-values.ts"
import type { RunContext } from "../../simulation/scenario/run-context.ts"
import { siteIdOf } from "../../simulation/scenario/worlds.ts"
import type { Answered, SwarmCheck, SwarmInvariant, Watched } from "../invariant.ts"
import type { Move, Plan } from "../plan.ts"

const hasPeople = ({ world: { runners, operators } }: Plan): boolean =>
  runners !== undefined || operators !== undefined

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
  { sentence: "the days of a site's figures are those of its own time zone", check: localDays },
]

/** The site of a zone, by the world that was written. */
function siteOfZone({ world }: RunContext, zoneId: string): CatalogSite | undefined {
  return world.sites.find(({ zones }) => zones.some((zone) => zone.zoneId === zoneId))
}

function siteIdOfReservation(run: RunContext, id: string): string | undefined {
  const zoneId = memoryRowsOf(run.service.host.store, reservations).get(id)?.zoneId
  return zoneId === undefined ? undefined : siteOfZone(run, zoneId)?.siteId
}

function bookedAtSite({ run }: Watched): SwarmCheck {
  const rows = memoryRowsOf(run.service.host.store, reservations)
  return {
    onAnswered: ({ move: { act }, outcome }) => {
      if (act.verb !== "do" || act.command !== "reservation.create" || outcome.type !== "taken") return null
      const id = run.reservationId(act.as ?? "")
      const row = id === null ? null : rows.get(id)
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
  return [siteIdOf(run, site)]
}

/** Nothing is said of a call that was turned away before its site mattered. */
const BEFORE_SITE: readonly string[] = [...Object.keys(SESSION_REFUSALS), "PERMISSION_DENIED", "lost"]

function withinSites(watched: Watched): SwarmCheck {
  const { run } = watched
  const siteByMove = new Map<Move, string>()
  return {
    onCalling: (move) => {
      const id = run.reservationId(move.act.for ?? "")
      const siteId = id === null ? undefined : siteIdOfReservation(run, id)
      if (siteId !== undefined) siteByMove.set(move, siteId)
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
      const siteId = siteByMove.get(answered.move)
      if (siteId === undefined || answered.startedMs !== answered.endedMs) return null
      const isOwn = own === null || own.includes(siteId)
      return isOwn === (code !== "NOT_FOUND")
        ? null
        : `${command} by ${by}, of ${own?.join(", ") ?? "all sites"}, at ${siteId} was answered ${code}`
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

/** The days of a site by its own calendar, written with the calendar of the platform and no code of the service. */
function localDays({ run }: Watched): SwarmCheck {
  const { host, runtime } = run.service
  const sessions = memoryRowsOf(host.store, stallSessions)
  return {
    onEnd: () => {
      for (const { siteId, timezone } of run.world.sites) {
        const stays = sessions
          .all()
          .filter((one) => one.siteId === siteId && one.environment === run.scenario.environment)
        if (stays.length === 0) continue
        const timeZone = timezone ?? "UTC"
        const trends = Runtime.runSync(runtime)(
          Effect.flatMap(Analytics, (analytics) =>
            analytics.trends(run.operations, { siteId, period: "month", granularity: "day" }),
          ).pipe(Effect.orDie),
        )
        const found = wrongDay(trends, { timeZone, startsMs: stays.map(({ startsAtMs }) => startsAtMs) })
        if (found !== null) return `${siteId} in ${timeZone}: ${found}`
      }
      return null
    },
  }
}

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
