/**
 * Vehicles of a day: their states from their journals, their places from their reports. Between two reports a vehicle is drawn on the
 * straight line, because nothing else is known. Places are rounded, so that no report names a door.
 */

import type { Place } from "../../../model/place.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { straightRoute } from "../travel/route.ts"
import type { CourseRecorder } from "../world/course-recorder.ts"
import type { Counter } from "../world/tally.ts"
import type { VehicleCondition } from "./group-facts.ts"

/** A position that a vehicle reported. */
export interface Fix extends Place {
  readonly atMs: EpochMs
}

type Order = Parameters<CourseRecorder["enter"]>[2]

interface Parts {
  readonly recorder: CourseRecorder
  readonly fixes: ReadonlyMap<string, readonly Fix[]>
  readonly site: number
  readonly nowMs: () => EpochMs
}

interface Seen {
  readonly actor: number
  condition: VehicleCondition
  order: Order
}

const WORDS: Readonly<Record<string, string>> = {
  idle: "idle",
  "underway.assigned": "to the store",
  "underway.approaching": "to the store",
  "underway.at_store": "at the store",
  "underway.waiting": "at the store",
  "underway.loaded": "loaded",
  "underway.leaving": "to the customer",
  "underway.at_customer": "at the customer",
}

function vehicleState({ state, isOnline }: VehicleCondition): string {
  return state === "idle" && !isOnline ? "offline" : (WORDS[state] ?? "idle")
}

export class VehicleDays {
  readonly #parts: Parts
  /** Null while there is no vehicle. */
  #levels: Readonly<Record<"busy" | "duty", Counter>> | null = null
  readonly #seen = new Map<string, Seen>()
  /** How many reports of each have come. */
  readonly #reported = new Map<string, number>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The last report before an instant and all later ones, each with what it does to the recording. */
  fixesFrom(startMs: EpochMs): readonly { readonly atMs: EpochMs; readonly run: () => void }[] {
    return [...this.#parts.fixes].flatMap(([vehicleId, fixes]) => {
      const first = Math.max(
        0,
        fixes.findLastIndex(({ atMs }) => atMs < startMs),
      )
      return fixes.slice(first).map(({ atMs }, at) => ({
        atMs,
        run: () => {
          this.#reported.set(vehicleId, first + at + 1)
          const seen = this.#seen.get(vehicleId)
          if (seen !== undefined) this.#show(vehicleId, seen)
        },
      }))
    })
  }

  take(vehicleId: string, condition: VehicleCondition, order: Order): void {
    const { recorder, site, nowMs } = this.#parts
    const known = this.#seen.get(vehicleId)
    const levels = (this.#levels ??= {
      busy: recorder.level({ resource: "vehicles", what: "busy", site }),
      duty: recorder.level({ resource: "vehicles", what: "duty", site }),
    })
    const isBusy = condition.state !== "idle"
    const [wasBusy, wasOn] = [
      known !== undefined && known.condition.state !== "idle",
      known?.condition.isOnline === true,
    ]
    if (isBusy !== wasBusy) levels.busy.change(isBusy ? 1 : -1, nowMs())
    if (condition.isOnline !== wasOn) levels.duty.change(condition.isOnline ? 1 : -1, nowMs())
    const seen = known ?? {
      actor: recorder.add({
        kind: "vehicle",
        name: vehicleId,
        site,
        address: `vehicle/${vehicleId}`,
        order: null,
      }),
      condition,
      order,
    }
    seen.condition = condition
    seen.order = order
    this.#seen.set(vehicleId, seen)
    this.#show(vehicleId, seen)
  }

  #show(vehicleId: string, { actor, condition, order = null }: Seen): void {
    const { recorder, fixes, nowMs } = this.#parts
    const own = fixes.get(vehicleId) ?? []
    const count = this.#reported.get(vehicleId) ?? 0
    const [last, next] = [own[count - 1], own[count]]
    const state = vehicleState(condition)
    if (last === undefined) return recorder.enter(actor, state, order)
    const here = next === undefined ? rounded(last) : between(last, next, nowMs())
    if (next === undefined || isSamePlace(rounded(last), rounded(next)))
      return recorder.stand(actor, state, { place: here, order })
    const route = straightRoute({ from: here, to: rounded(next) }, { ms: next.atMs - nowMs(), metres: 0 })
    recorder.travel(actor, state, { route, order })
  }
}

/** Adds the next report. While a vehicle stands its first and its last report are enough. */
export function addFix(fixes: Fix[], fix: Fix): void {
  const [before, last] = fixes.slice(-2)
  const isStill = (one: Fix | undefined): boolean =>
    one !== undefined && isSamePlace(rounded(one), rounded(fix))
  if (isStill(before) && isStill(last)) fixes.pop()
  fixes.push(fix)
}

/** About a hundred metres. */
const STEPS_OF_A_DEGREE = 1000

function rounded({ latitude, longitude }: Place): Place {
  const round = (degrees: number): number => Math.round(degrees * STEPS_OF_A_DEGREE) / STEPS_OF_A_DEGREE
  return { latitude: round(latitude), longitude: round(longitude) }
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.latitude === other.latitude && one.longitude === other.longitude
}

function between(last: Fix, next: Fix, nowMs: EpochMs): Place {
  const [from, to] = [rounded(last), rounded(next)]
  const span = next.atMs - last.atMs
  const share = span <= 0 ? 1 : Math.min(1, Math.max(0, (nowMs - last.atMs) / span))
  return {
    latitude: from.latitude + share * (to.latitude - from.latitude),
    longitude: from.longitude + share * (to.longitude - from.longitude),
  }
}
