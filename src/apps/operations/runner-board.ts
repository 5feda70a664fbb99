/**
 * Runner board: a reservation as the runner application shows it, and the open tasks of a site.
 *
 * A runner sees the end user's name, because the counter asks for it, but not the phone number and the open link, which
 * a runner does not need.
 */

import type { Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type { ExceptionCode } from "../../model/handoff.ts"
import { PAGE_SIZE, RUNNER_TASKS_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { AllowedMoves, MoveAhead } from "../../model/requests/runner-moves.ts"
import type { PageRequest } from "../../model/requests/operations-requests.ts"
import { isoMs } from "../../model/values/time.ts"
import type { Group } from "../../engine/kernel/group.ts"
import { DryRun } from "../../engine/services/dry-run.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { signedPhoto } from "../../areas/reservations/announcements.ts"
import { groupFor, ownRow } from "../../areas/reservations/commands.ts"
import { breachOf, standingOf } from "../../areas/reservations/lateness.ts"
import {
  composeReservation,
  openTaskStagingAtMs,
  runnerTaskOf,
  stagingAtMs,
} from "../../areas/reservations/record.ts"
import type { Composition, ReservationRecord } from "../../areas/reservations/record.ts"
import { allowedMoves, movesAhead } from "../../areas/reservations/runner-moves.ts"
import { ReservationRows } from "../../areas/reservations/rows.ts"
import type { OpenTaskQuery, ReservationRow } from "../../areas/reservations/rows.ts"
import { Places } from "./places.ts"
import type { Place } from "./places.ts"
import { placeCursors, sealedCursors } from "../../engine/services/cursors.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

/** A reservation as the runner application shows it. Fields of the partner's record keep their names. */
export type BoardReservation = Omit<ReservationRecord, "end_user_phone" | "open_link_url"> & {
  readonly site_id: string | null
  readonly retailer_name: string | null
  readonly retailer_support_phone: string | null
  readonly pickup_requirements: string | null
  /** The reference that the runner gives at the counter. */
  readonly pickup_reference: string
  /** When the runner should be ready; null without a runner task. */
  readonly staging_at: string | null
  readonly runner_id: string | null
  /** Flags that the next step clears. */
  readonly open_exceptions: readonly ExceptionCode[]
  /** True when the order goes back to the counter; null without a runner task. */
  readonly is_order_returning: boolean | null
} & AllowedMoves

/** A reservation's composition with its group, on which moves are tried. */
interface Seen {
  readonly composition: Composition
  readonly group: Group
  readonly allowed: AllowedMoves
}

export interface TaskPage {
  readonly tasks: readonly BoardReservation[]
  readonly next_cursor: string | null
}

/** A task with what a phone needs to go on without network. */
export interface SiteTask {
  readonly reservation: BoardReservation
  /** When its promise is broken, as on the board; null after the task's end. */
  readonly dueAtMs: EpochMs | null
  readonly ahead: readonly MoveAhead[]
  readonly nowMs: EpochMs
}

export class RunnerBoard extends service<RunnerBoard>()("RunnerBoard", () => ({
  reservation: readOne,
  openTasks,
  siteTask,
  siteTasks,
})) {}

/** With a newly signed link to the load photo. */
const readOne = Routine.fn(function* (caller: Operator, reservationId: string) {
  const host = yield* ActorHost
  const found = yield* host.view(
    [groupFor(reservationId)],
    Routine.gen(function* () {
      const row = yield* ownRow(caller, reservationId)
      const places = yield* Places
      const place = yield* places.siteOfZone(row.environment, row.zoneId)
      return { row, place, seen: yield* seenOf(row) }
    }),
  )
  const { row, place, seen } = found
  const { composition } = seen
  const photoId = runnerTaskOf(composition.actors, groupFor(reservationId))?.photoId ?? null
  if (photoId === null) return boardReservation(seen, place)
  const photoUrl = yield* signedPhoto(row, photoId)
  return boardReservation({ ...seen, composition: { ...composition, photoUrl } }, place)
})

/** By staging time, the most urgent first. */
const openTasks = Routine.fn(function* ({ environment }: Operator, siteId: string, request: PageRequest) {
  const host = yield* ActorHost
  const limit = request.limit ?? PAGE_SIZE
  const { cursorOf, placeOf } = taskCursors(yield* DigestKey, `${environment}/${siteId}`)
  const after = request.cursor === undefined ? null : yield* placeOf(request.cursor)
  return yield* host.view(
    [],
    Routine.gen(function* () {
      const places = yield* Places
      const rows = yield* ReservationRows
      const place = yield* places.site(environment, siteId)
      if (place === null) return yield* new Refused({ code: "NOT_FOUND" })
      const { zoneIds } = place
      const found = yield* rows.openTasks({ environment, zoneIds, after, limit: limit + 1 })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const tasks = yield* Routine.forEach(page, (row) =>
        Routine.map(seenOf(row), (seen) => boardReservation(seen, place)),
      )
      const lastMs = last?.taskStagingAtMs ?? null
      const isEnd = found.length <= limit || last === undefined || lastMs === null
      const nextCursor = isEnd ? null : cursorOf({ stagingAtMs: lastMs, number: last.number })
      return { tasks, next_cursor: nextCursor } satisfies TaskPage
    }),
  )
})

/** A task of the site; `NOT_FOUND` for another site's. The link to its photo is left out. */
const siteTask = Routine.fn(function* (caller: Operator, siteId: string, reservationId: string) {
  const host = yield* ActorHost
  return yield* host.view(
    [groupFor(reservationId)],
    Routine.gen(function* () {
      const row = yield* ownRow(caller, reservationId)
      const place = yield* (yield* Places).siteOfZone(row.environment, row.zoneId)
      if (place?.siteId !== siteId) return yield* new Refused({ code: "NOT_FOUND" })
      return yield* siteTaskOf(yield* seenOf(row), place)
    }),
  )
})

/** The site's open tasks, the one that is due first before the others. */
const siteTasks = Routine.fn(function* ({ environment }: Operator, siteId: string) {
  const host = yield* ActorHost
  return yield* host.view(
    [],
    Routine.gen(function* () {
      const place = yield* (yield* Places).site(environment, siteId)
      if (place === null) return yield* new Refused({ code: "NOT_FOUND" })
      const rows = yield* ReservationRows
      const { zoneIds } = place
      const found = yield* rows.openTasks({ environment, zoneIds, after: null, limit: RUNNER_TASKS_MAX })
      const tasks = yield* Routine.forEach(found, (row) =>
        Routine.flatMap(seenOf(row), (seen) => siteTaskOf(seen, place)),
      )
      return tasks.toSorted((one, other) => (one.dueAtMs ?? Infinity) - (other.dueAtMs ?? Infinity))
    }),
  )
})

const siteTaskOf = Routine.fn(function* (seen: Seen, place: Place) {
  const { composition, group } = seen
  const { nowMs } = composition
  const ahead = movesAhead(yield* DryRun, group, nowMs)
  return {
    reservation: boardReservation(seen, place),
    dueAtMs: yield* dueAtMs(composition, group),
    ahead,
    nowMs,
  } satisfies SiteTask
})

/** Only a bot that has reported has reports to read. */
const dueAtMs = Routine.fn(function* ({ row, actors }: Composition, group: Group) {
  if (openTaskStagingAtMs(actors, groupFor(row.reservationId)) === null) return null
  const { reports } = yield* ReservationRows
  return breachOf(standingOf(row, group, row.status === "confirmed" ? [] : yield* reports(row.reservationId)))
})

const seenOf = Routine.fn(function* (row: ReservationRow) {
  const { group: groupAt, nowMs } = yield* Transaction
  const group = yield* groupAt(groupFor(row.reservationId))
  if (group === null) return yield* new Refused({ code: "NOT_FOUND" })
  const composition: Composition = { row, actors: group.actors, nowMs, photoUrl: null }
  return { composition, group, allowed: allowedMoves(yield* DryRun, group, nowMs) } satisfies Seen
})

function boardReservation({ composition, allowed }: Seen, place: Place | null): BoardReservation {
  const { row, actors } = composition
  const task = runnerTaskOf(actors, groupFor(row.reservationId))
  const counter = place?.counters.find(({ retailerId }) => retailerId === row.retailerId)
  return {
    ...withoutSecrets(composeReservation(composition)),
    site_id: place?.siteId ?? null,
    retailer_name: counter?.name ?? null,
    retailer_support_phone: counter?.supportPhone ?? null,
    pickup_requirements: counter?.pickupRequirements ?? null,
    pickup_reference: row.retailerPickupRef ?? row.orderNumber,
    staging_at: task === null ? null : isoMs(stagingAtMs(task)),
    runner_id: task?.runnerId ?? null,
    open_exceptions: task?.flags ?? [],
    is_order_returning: task?.isReturning ?? null,
    ...allowed,
  }
}

function withoutSecrets({ end_user_phone: _, open_link_url: __, ...record }: ReservationRecord) {
  return record
}

/** The number of a reservation counts those of all organizations and sites, so it is sealed (src/DECISIONS.md §25). */
function taskCursors({ key }: DigestKey["Type"], owner: string) {
  const numbers = sealedCursors({ key, list: "runner tasks", owner })
  return placeCursors<NonNullable<OpenTaskQuery["after"]>>(
    ({ stagingAtMs: atMs, number }) => `t${atMs}.${numbers.cursorOf(number)}`,
    (text) => {
      const [, atMs, sealed = ""] = /^t(\d{1,15})\.([\w-]+)$/.exec(text) ?? []
      const number = numbers.placeIn(sealed)
      return atMs === undefined || number === null ? null : { stagingAtMs: Number(atMs), number }
    },
  )
}
