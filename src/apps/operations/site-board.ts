/** The board of a site, in one read: stalls, open reservations, vehicles of the fleet with their runs. */

import { Effect } from "effect"
import type { CompartmentState } from "../../model/compartment.ts"
import type { GroupAddress } from "../../model/address.ts"
import type {
  BoardColumn,
  BoardRisk,
  BoardTrouble,
  StallState,
  WaitsFor,
} from "../../model/requests/board.ts"
import type { BotStatus } from "../../model/bot.ts"
import type { Environment, Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { HandoffStatus } from "../../model/handoff.ts"
import {
  BOARD_RESERVATIONS_MAX,
  BOARD_RUNS_MAX,
  BOARD_VEHICLES_MAX,
  RUNNER_SHIFT_MS,
} from "../../model/values/limits.ts"
import type { Site } from "../../model/site.ts"
import type { Place } from "../../model/place.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { CatalogRows } from "../../areas/catalog/rows.ts"
import type { StalledZone } from "../../areas/catalog/rows.ts"
import { currentCompartment, fleetOf } from "../../areas/compartments/compartments.ts"
import { DeliveryRows } from "../../areas/direct-delivery/rows.ts"
import type { DeliveryRow } from "../../areas/direct-delivery/rows.ts"
import { VehicleRows } from "../../areas/dispatch/rows.ts"
import type { FixRow, VehicleRow } from "../../areas/dispatch/rows.ts"
import { Runs } from "../../areas/dispatch/runs.ts"
import { groupFor } from "../../areas/reservations/commands.ts"
import { standingOf } from "../../areas/reservations/lateness.ts"
import type { Standing } from "../../areas/reservations/lateness.ts"
import { handoffStatus } from "../../areas/reservations/record.ts"
import { ReservationRows } from "../../areas/reservations/rows.ts"
import type { BotReportRow, ReservationRow } from "../../areas/reservations/rows.ts"
import { recentCalls } from "../../areas/runner-phones/runner-calls.ts"
import type { RunnerCall } from "../../areas/runner-phones/runner-calls.ts"
import { RunnerPhoneRows } from "../../areas/runner-phones/rows.ts"
import type { Group } from "../../engine/kernel/group.ts"
import { ActorHost, Transaction, batch } from "../../engine/services/host.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { NO_CLOCK_MOVED, clockOf, movedClocks } from "./board-clock.ts"
import type { BoardClock, MovedClocks } from "./board-clock.ts"
import { judge, judgeStall } from "./board-decisions.ts"
import type { Judged } from "./board-decisions.ts"
import { boardVehicle, runsOf } from "./board-vehicles.ts"
import type { BoardVehicle } from "./board-vehicles.ts"
import { nextTimerOf } from "./next-timer.ts"
import type { NextTimer } from "./next-timer.ts"
import { Places } from "./places.ts"
import type { Counter } from "./places.ts"

export interface BoardStall {
  readonly stallId: string
  readonly label: string | null
  readonly isActive: boolean
  readonly state: StallState
  readonly atMs: EpochMs | null
  readonly reservationId: string | null
}

export interface BoardZone {
  readonly zoneId: string
  readonly name: string
  readonly stalls: readonly BoardStall[]
}

export interface BoardedReservation {
  readonly reservationId: string
  readonly orderNumber: string
  readonly retailerName: string | null
  readonly zoneId: string
  readonly stallId: string
  readonly stallLabel: string | null
  readonly column: BoardColumn
  readonly trouble: BoardTrouble | null
  readonly waitsFor: WaitsFor
  readonly sinceMs: EpochMs
  readonly dueAtMs: EpochMs
  readonly breachAtMs: EpochMs
  readonly isLate: boolean
  readonly risk: BoardRisk | null
  readonly bot: { readonly status: BotStatus; readonly label: string | null } | null
  readonly handoff: HandoffStatus | null
  readonly runnerId: string | null
  /** Null for a runner without a phone of the shift. */
  readonly runnerName: string | null
  readonly readyEstimateAtMs: EpochMs | null
  readonly nextTimer: NextTimer | null
  /** Of its group. */
  readonly revision: number
  readonly clock: BoardClock
}

export interface Board {
  readonly site: Site
  readonly nowMs: EpochMs
  readonly counters: readonly Counter[]
  readonly zones: readonly BoardZone[]
  /** The one whose promise is broken first comes first. */
  readonly reservations: readonly BoardedReservation[]
  readonly vehicles: readonly BoardVehicle[]
  /** Runners with a phone that is paired now. */
  readonly runnersCount: number
  /** Calls to the runners that ring, or rang lately. */
  readonly runnerCalls: readonly RunnerCall[]
  /** False when the site has more than the board shows. */
  readonly isComplete: boolean
}

export class SiteBoard extends service<SiteBoard>()("SiteBoard", () => ({
  of: boardOf,
})) {}

/** Three rounds: the site, what is open there, and the states of that. Their number does not depend on how much is open. */
const boardOf = Routine.fn(function* ({ environment }: Operator, siteId: string) {
  const host = yield* ActorHost
  const { sites, zonesOf } = yield* CatalogRows
  const places = yield* Places
  return yield* host.view(
    [],
    Routine.gen(function* () {
      const { nowMs } = yield* Transaction
      const [site, zones, place] = yield* batch([
        sites.get(environment, siteId),
        zonesOf(environment, siteId),
        places.site(environment, siteId),
      ])
      if (site === null) return yield* new Refused({ code: "NOT_FOUND", detail: "site" })
      const open = yield* openAt(environment, site, zones)
      const states = yield* statesOf(open, site, environment)
      const counters = place?.counters ?? []
      const seen = open.reservations.flatMap((row) => seenOf(row, states, nowMs) ?? [])
      const known = new Map(counters.map(({ retailerId, name }) => [retailerId, name]))
      return {
        site,
        nowMs,
        counters,
        zones: zones.map((zone) => boardZone(zone, seen)),
        reservations: seen
          .map((one) => boarded(one, states, known.get(one.row.retailerId) ?? null))
          .toSorted((one, other) => leftOf(one) - leftOf(other)),
        vehicles: open.vehicles.map((vehicle) =>
          boardVehicle(vehicle, {
            runs: states.runs.get(vehicle.vehicleId) ?? [],
            last: states.fixes.get(vehicle.vehicleId) ?? null,
            stores: states.stores,
            loads: states.loads,
            compartments: states.compartments,
            clocks: states.clocks,
            realMs: nowMs,
          }),
        ),
        runnersCount: states.runnersCount,
        runnerCalls: states.runnerCalls,
        isComplete: open.isComplete,
      } satisfies Board
    }),
  )
})

/** Until the promise is broken, on the reservation's own clock. */
function leftOf({ breachAtMs, clock }: BoardedReservation): number {
  return breachAtMs - clock.nowMs
}

interface Open {
  readonly reservations: readonly ReservationRow[]
  readonly vehicles: readonly VehicleRow[]
  readonly runs: readonly DeliveryRow[]
  readonly isComplete: boolean
}

const openAt = Routine.fn(function* (
  environment: Environment,
  { fleetId }: Site,
  zones: readonly StalledZone[],
) {
  const rows = yield* ReservationRows
  const vehicles = yield* VehicleRows
  const deliveries = yield* DeliveryRows
  const zoneIds = zones.map(({ zone }) => zone.zoneId)
  const [booked, fleet, runs] = yield* batch([
    rows.openAt({ environment, zoneIds, limit: BOARD_RESERVATIONS_MAX + 1 }),
    fleetId === null ? Routine.succeed([]) : vehicles.ofFleet(fleetId, BOARD_VEHICLES_MAX + 1),
    fleetId === null ? Routine.succeed([]) : deliveries.openRuns(fleetId, BOARD_RUNS_MAX + 1),
  ])
  const isComplete =
    booked.length <= BOARD_RESERVATIONS_MAX &&
    fleet.length <= BOARD_VEHICLES_MAX &&
    runs.length <= BOARD_RUNS_MAX
  return {
    reservations: booked.slice(0, BOARD_RESERVATIONS_MAX),
    vehicles: fleet.filter((vehicle) => vehicle.environment === environment).slice(0, BOARD_VEHICLES_MAX),
    runs: runs.slice(0, BOARD_RUNS_MAX),
    isComplete,
  } satisfies Open
})

interface States {
  /** The open runs of each vehicle, in the order in which it does them. */
  readonly runs: ReadonlyMap<string, readonly DeliveryRow[]>
  readonly groups: ReadonlyMap<GroupAddress, Group>
  readonly fixes: ReadonlyMap<string, FixRow>
  readonly reports: ReadonlyMap<string, readonly BotReportRow[]>
  /** Where the runs that vehicles do now are collected, by their deliveries. */
  readonly stores: ReadonlyMap<string, Place>
  /** How long the last loads there took, by delivery. */
  readonly loads: ReadonlyMap<string, readonly number[]>
  /** Of runs at the customer's door that can be opened, by their deliveries. */
  readonly compartments: ReadonlyMap<string, CompartmentState>
  /** Of runners whose phones were at the site in this shift. */
  readonly runnerNames: ReadonlyMap<string, string>
  readonly runnersCount: number
  readonly runnerCalls: readonly RunnerCall[]
  readonly clocks: MovedClocks
}

const statesOf = Routine.fn(function* (
  { reservations, vehicles, runs }: Open,
  { siteId }: Site,
  environment: Environment,
) {
  const { group } = yield* Transaction
  const { lastFix } = yield* VehicleRows
  const { reports } = yield* ReservationRows
  const phoneRows = yield* RunnerPhoneRows
  const { pickup, loads } = yield* Runs
  const runsInOrder = yield* batch(vehicles.map((vehicle) => runsOf(vehicle, runs)))
  const first = runsInOrder.flatMap(([run]) => run ?? [])
  // Phones have real time, also where an organization's clock was moved.
  const realMs = yield* realNowMs
  const addresses = reservations.map(({ reservationId }) => groupFor(reservationId))
  // Only a bot that has reported has a status other than confirmed, or a label; the others have no report to read.
  const [groups, fixes, told, phones, pickups, taken, compartments, runnerCalls, clocks] = yield* batch([
    batch(addresses.map((address) => group(address))),
    batch(vehicles.map(({ vehicleId }) => lastFix({ vehicleId }))),
    batch(
      reservations.map(({ reservationId, status }) =>
        status === "confirmed" ? Routine.succeed([]) : reports(reservationId),
      ),
    ),
    phoneRows.phones({ environment, siteId, endsAfterMs: realMs - RUNNER_SHIFT_MS }),
    batch(first.map((run) => pickup(run))),
    batch(first.map((run) => loads(run))),
    compartmentsOf(first),
    recentCalls({ environment, siteId, nowMs: realMs }),
    environment === "sandbox"
      ? movedClocks([...reservations, ...first].map(({ organizationId }) => organizationId))
      : Routine.succeed(NO_CLOCK_MOVED),
  ])
  return {
    runs: new Map(vehicles.map(({ vehicleId }, at) => [vehicleId, runsInOrder[at] ?? []])),
    groups: new Map(groups.flatMap((found) => (found === null ? [] : [[found.address, found] as const]))),
    fixes: new Map(fixes.flatMap((fix) => (fix === null ? [] : [[fix.vehicleId, fix] as const]))),
    reports: new Map(told.map((all, at) => [reservations[at]?.reservationId ?? "", all] as const)),
    stores: new Map(first.map((run, at) => [run.deliveryId, pickups[at]?.store ?? run.place])),
    loads: new Map(first.map((run, at) => [run.deliveryId, taken[at] ?? []])),
    compartments,
    runnerCalls,
    clocks,
    // The newest phone of a runner decides.
    runnerNames: new Map(phones.toReversed().map(({ runnerId, runnerName }) => [runnerId, runnerName])),
    runnersCount: new Set(phones.filter(({ endsAtMs }) => endsAtMs > realMs).map(({ runnerId }) => runnerId))
      .size,
  } satisfies States
})

/** Of one fleet, so its settings are read once. */
const compartmentsOf = Effect.fnUntraced(function* (first: readonly DeliveryRow[]) {
  const atDoor = first.filter(({ status }) => status === "ARRIVED_AT_CUSTOMER")
  const [one] = atDoor
  const openUrl = one === undefined ? null : ((yield* fleetOf(one))?.openUrl ?? null)
  if (openUrl === null) return new Map<string, CompartmentState>()
  const found = yield* batch(atDoor.map(({ deliveryId }) => currentCompartment(deliveryId)))
  return new Map(atDoor.map(({ deliveryId }, at) => [deliveryId, found[at]?.state ?? "closed"]))
})

interface Seen {
  readonly row: ReservationRow
  readonly group: Group
  readonly standing: Standing
  readonly judged: Judged
  readonly clock: BoardClock
}

function seenOf(row: ReservationRow, { groups, reports, clocks }: States, realMs: EpochMs): Seen | null {
  const group = groups.get(groupFor(row.reservationId))
  if (group === undefined) return null
  const standing = standingOf(row, group, reports.get(row.reservationId) ?? [])
  const clock = clockOf(row.organizationId, clocks, realMs)
  return { row, group, standing, judged: judge(standing, clock.nowMs), clock }
}

function boarded(
  { row, group, standing, judged, clock }: Seen,
  { runnerNames }: States,
  retailerName: string | null,
): BoardedReservation {
  const { reservationId, orderNumber, zoneId, stallId, stallLabel, botLabel } = row
  const { bot, task } = standing
  const runnerId = task?.context.runnerId ?? null
  return {
    reservationId,
    orderNumber,
    retailerName,
    zoneId,
    stallId,
    stallLabel,
    ...judged,
    bot: bot === null ? null : { status: bot.status, label: botLabel },
    handoff: handoffStatus(group.actors, group.address),
    runnerId,
    runnerName: runnerId === null ? null : (runnerNames.get(runnerId) ?? null),
    readyEstimateAtMs: task?.context.readyEstimateAtMs ?? null,
    nextTimer: nextTimerOf([group]),
    revision: group.revision,
    clock,
  }
}

function boardZone({ zone, stalls }: StalledZone, seen: readonly Seen[]): BoardZone {
  return {
    zoneId: zone.zoneId,
    name: zone.name,
    stalls: stalls.map(({ stallId, label, isActive }) => {
      const here = seen
        .filter(({ row }) => row.stallId === stallId)
        .map(({ row, standing, judged, clock: { nowMs } }) => ({
          reservationId: row.reservationId,
          standing,
          judged,
          nowMs,
        }))
      return { stallId, label, isActive, ...judgeStall(here) }
    }),
  }
}
