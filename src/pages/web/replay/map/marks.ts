/**
 * What moves on the map at an instant: vehicles with their trails, and doors. Cost: a scaling for each vehicle until it changes what it
 * does, and a look at each order of these minutes.
 */

import type { CourseLeg, CourseStretch } from "../../../../model/replay/course-reader.ts"
import { orderName } from "../seen/actor-words.ts"
import { distanceM } from "../seen/ground.ts"
import type { Spot } from "../seen/ground.ts"
import { isLateAt, isOpenAt } from "../seen/orders.ts"
import type { SeenOrder } from "../seen/orders.ts"
import type { Scene } from "../seen/scene.ts"
import { wordsOf } from "../seen/state-words.ts"
import type { Phase } from "../seen/state-words.ts"
import { pxOf } from "./viewport.ts"
import type { Px, Viewport } from "./viewport.ts"

/** `loaded`: an order is on board; `called`: on the way to one; `broken`: stands until it is repaired. */
export type VehicleLook = "broken" | "called" | "free" | "loaded"

export interface VehicleMark {
  readonly actor: number
  readonly at: Px
  /** Radians, clockwise from the right. */
  readonly heading: number
  readonly look: VehicleLook
  readonly isLate: boolean
  /** Number of its order; null without one. */
  readonly order: string | null
  /** Where it came from, nearest first. */
  readonly trail: readonly Px[]
}

export interface DoorMark {
  readonly actor: number
  readonly at: Px
  readonly look: "delivered" | "late" | "waits"
}

export interface Marks {
  readonly vehicles: readonly VehicleMark[]
  readonly doors: readonly DoorMark[]
}

const TRAIL_M = 550
/** A larger fleet shows the trail of the picked vehicle alone. */
const TRAILS_MAX = 200
/** A delivered door is shown for two minutes. */
const DELIVERED_MS = 120_000
const OUTSIDE_PX = 24

interface MarksOf {
  readonly ms: number
  readonly view: Viewport
  readonly picked: number | null
  /** False with reduced motion. */
  readonly hasTrails: boolean
}

/** What is the same of a vehicle in all frames of a stretch. */
interface Held extends Pick<CourseStretch, "fromMs" | "untilMs">, Pick<VehicleMark, "heading" | "look"> {
  readonly isTrailed: boolean
  /** At `fromMs`. */
  readonly spot: Spot
  /** m in a ms. */
  readonly pace: Spot
  readonly order: SeenOrder | null
  readonly orderName: string | null
}

/** Keeps what holds of each vehicle, and its ways, between frames. */
export class MapMarks {
  readonly #scene: Scene
  readonly #held = new Map<number, Held>()
  readonly #ways = new Map<number, { readonly legs: readonly CourseLeg[]; readonly untilMs: number }>()

  constructor(scene: Scene) {
    this.#scene = scene
  }

  /** `doors`: of an earlier instant, which are shown instead. */
  at(of: MarksOf, doors: Marks["doors"] | null = null): Marks {
    const numbers = this.#scene.of("vehicle")
    const hasTrails = of.hasTrails && numbers.length <= TRAILS_MAX
    const vehicles = numbers.flatMap((actor) => {
      const isTrailed = hasTrails || (of.hasTrails && actor === of.picked)
      const found = this.#vehicle(actor, of, isTrailed)
      return found === null ? [] : [found]
    })
    return { vehicles, doors: doors ?? this.#doors(of) }
  }

  #vehicle(actor: number, { ms, view }: MarksOf, isTrailed: boolean): VehicleMark | null {
    const held = this.#heldAt(actor, ms, isTrailed)
    if (held === null) return null
    const sinceMs = ms - held.fromMs
    const spot = {
      east: held.spot.east + sinceMs * held.pace.east,
      north: held.spot.north + sinceMs * held.pace.north,
    }
    const at = pxOf(view, spot)
    if (isOutside(at, view)) return null
    return {
      actor,
      at,
      heading: held.heading,
      look: held.look,
      isLate: held.order !== null && isLateAt(held.order, ms),
      order: held.orderName,
      trail: isTrailed ? this.#trail(this.#waysOf(actor, ms), spot, { ms, view }) : NO_TRAIL,
    }
  }

  #heldAt(actor: number, ms: number, isTrailed: boolean): Held | null {
    const known = this.#held.get(actor)
    if (known !== undefined && known.fromMs <= ms && ms < known.untilMs && known.isTrailed === isTrailed)
      return known
    const stretch = this.#scene.course.stretchAt(actor, ms)
    if (stretch === null) return null
    const { fromMs, untilMs, change } = stretch
    const { spotOf } = this.#scene.ground
    const [spot, end] = [spotOf(stretch.from), spotOf(stretch.to)]
    const spanMs = Math.max(1, untilMs - fromMs)
    const order = this.#scene.order(change?.order ?? null)
    const held: Held = {
      fromMs,
      untilMs,
      isTrailed,
      spot,
      pace: { east: (end.east - spot.east) / spanMs, north: (end.north - spot.north) / spanMs },
      heading: this.#headingOf(stretch.leg ?? (isTrailed ? lastWay(this.#waysOf(actor, ms), ms) : undefined)),
      look: LOOKS[wordsOf("vehicle", change?.state ?? "").phase] ?? "called",
      order,
      orderName: order === null ? null : orderName(order.order.number),
    }
    this.#held.set(actor, held)
    return held
  }

  /** Along its way. */
  #headingOf(leg: CourseLeg | undefined): number {
    if (leg === undefined) return -Math.PI / 2
    const { spotOf } = this.#scene.ground
    const [from, to] = [spotOf(leg.from), spotOf(leg.to)]
    return distanceM(from, to) < 0.5 ? -Math.PI / 2 : Math.atan2(from.north - to.north, to.east - from.east)
  }

  #waysOf(actor: number, ms: number): readonly CourseLeg[] {
    const known = this.#ways.get(actor)
    if (known !== undefined && ms <= known.untilMs) return known.legs
    const legs = this.#scene.course.legsOf(actor)
    this.#ways.set(actor, { legs, untilMs: this.#scene.untilMs })
    return legs
  }

  #trail(ways: readonly CourseLeg[], spot: Spot, { ms, view }: Pick<MarksOf, "ms" | "view">): readonly Px[] {
    const points: Px[] = [pxOf(view, spot)]
    let [at, rest] = [spot, TRAIL_M]
    for (let way = lastBefore(ways, ms); way >= 0 && rest > 0; way -= 1) {
      const leg = ways[way]
      if (leg === undefined) break
      const from = this.#scene.ground.spotOf(leg.from)
      const length = distanceM(from, at)
      if (length === 0) continue
      const share = Math.min(1, rest / length)
      at = {
        east: at.east + share * (from.east - at.east),
        north: at.north + share * (from.north - at.north),
      }
      points.push(pxOf(view, at))
      rest -= length
    }
    return points
  }

  #doors({ ms, view }: MarksOf): readonly DoorMark[] {
    const doors: DoorMark[] = []
    for (const seen of this.#scene.ordersAround(ms)) {
      const { door } = seen.order
      if (door === null) continue
      const isDelivered = seen.metMs !== null && seen.metMs <= ms
      if (isDelivered ? ms - (seen.metMs ?? 0) > DELIVERED_MS : !isOpenAt(seen, ms)) continue
      const at = pxOf(view, this.#scene.ground.spotOf(door))
      if (isOutside(at, view)) continue
      doors.push({
        actor: seen.actor,
        at,
        look: isDelivered ? "delivered" : isLateAt(seen, ms) ? "late" : "waits",
      })
    }
    return doors
  }
}

const LOOKS: Partial<Readonly<Record<Phase, VehicleLook>>> = {
  "to the door": "loaded",
  "at the door": "loaded",
  loads: "loaded",
  free: "free",
  off: "free",
  gone: "free",
  charges: "free",
  "broken down": "broken",
}

const NO_TRAIL: readonly Px[] = []

/** A vehicle that stands keeps the direction in which it came. */
function lastWay(ways: readonly CourseLeg[], ms: number): CourseLeg | undefined {
  return ways.findLast(({ fromMs, from, to }) => fromMs <= ms && (from[0] !== to[0] || from[1] !== to[1]))
}

function lastBefore(ways: readonly CourseLeg[], ms: number): number {
  let [low, high] = [0, ways.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ways[middle]?.fromMs ?? Infinity) <= ms) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The marks of either map that the other has not, or has elsewhere, or doing something else: `numbers` are the other's, by the own. */
export function apart(
  own: readonly VehicleMark[],
  other: readonly VehicleMark[],
  numbers: ReadonlyMap<number, number>,
): { readonly own: readonly VehicleMark[]; readonly other: readonly VehicleMark[] } {
  const others = new Map(other.map((mark) => [mark.actor, mark]))
  const alike = new Set<number>()
  const ownApart = own.filter((mark) => {
    const twin = others.get(numbers.get(mark.actor) ?? -1)
    const isAlike =
      twin?.look === mark.look && Math.hypot(twin.at[0] - mark.at[0], twin.at[1] - mark.at[1]) < ALIKE_PX
    if (isAlike) alike.add(twin.actor)
    return !isAlike
  })
  return { own: ownApart, other: other.filter(({ actor }) => !alike.has(actor)) }
}

/** Nearer than this they cover each other. */
const ALIKE_PX = 4

function isOutside([x, y]: Px, { width, height }: Viewport): boolean {
  return x < -OUTSIDE_PX || y < -OUTSIDE_PX || x > width + OUTSIDE_PX || y > height + OUTSIDE_PX
}

/** The mark under a pointer; null when there is none near. */
export function markAt({ vehicles, doors }: Marks, [x, y]: Px, nearPx = 16): number | null {
  let [best, bestPx]: [number | null, number] = [null, nearPx]
  for (const { actor, at } of [...vehicles, ...doors]) {
    const px = Math.hypot(at[0] - x, at[1] - y)
    if (px < bestPx) [best, bestPx] = [actor, px]
  }
  return best
}
