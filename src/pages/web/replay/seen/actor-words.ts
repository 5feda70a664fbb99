/** Names of actors and what they do, in words. */

import type { CourseActor, CourseHead } from "../../../../model/replay/course.ts"
import { dwell, inWords } from "./times.ts"
import { isLateAt } from "./orders.ts"
import type { SeenOrder } from "./orders.ts"
import { titled } from "./moment.ts"
import type { Scene } from "./scene.ts"
import { wordsOf } from "./state-words.ts"

/** Short enough for a lane: `R4` of `north/runner-4`, `R9.4` of `north/runner-09:00.4`, `V12` of `veh_0_0012`. */
export function shortName(name: string): string {
  if (isId(name)) return `${name.startsWith("run_") ? "R" : "V"}·${ending(name)}`
  const vehicle = /^veh_\d+_0*(\d+)$/.exec(name)?.[1]
  if (vehicle !== undefined) return `V${vehicle}`
  const [, kind, hour, minute = "", letter = "", number = ""] =
    /(runner|vehicle)-(?:0?(\d+)(:\d\d)([a-z]?)\.)?(\d+)$/.exec(name) ?? []
  if (kind === undefined) return name.split("/").at(-1) ?? name
  const shift = hour === undefined ? "" : `${hour}${minute === ":00" ? "" : minute}${letter}.`
  return `${kind.charAt(0).toUpperCase()}${shift}${number}`
}

/** `V12`, or with several sites `V12 · south`. */
export function vehicleWords({ sites }: CourseHead, name: string): string {
  const site = sites[Number(/^veh_(\d+)_/.exec(name)?.[1] ?? -1)]
  return sites.length === 1 || site === undefined ? shortName(name) : `${shortName(name)} · ${site.name}`
}

/** `28` of `order-28`, the end of an id: what it is stands beside it. */
export function orderName(number: string): string {
  return isId(number) ? ending(number) : number.replace(/^order-/, "")
}

/** As the service makes them: what they begin with is the same for all. */
function isId(name: string): boolean {
  return /^(?:res|dlv|run|veh)_[A-Za-z0-9]{22}$/.test(name)
}

function ending(id: string): string {
  return id.slice(-5)
}

export const KIND_NAMES = { order: "Order", robot: "Robot", runner: "Runner", vehicle: "Vehicle" } as const

/** Class of the square in an actor's hue. */
export const KIND_HUES = {
  order: "delivery",
  robot: "bot",
  runner: "runner",
  vehicle: "vehicle",
} as const

function nameOf({ kind, name, order }: CourseActor): string {
  if (kind === "order") return `Order ${orderName(name)}`
  return kind === "robot" ? `Robot of ${orderName(order?.number ?? name)}` : shortName(name)
}

/** `R4 carries 3068`. */
export function doingAt(scene: Scene, number: number, ms: number): string {
  const actor = scene.actors[number]
  if (actor === undefined) return ""
  const name = nameOf(actor)
  const state = scene.course.stateAt(number, ms)
  if (state === null) return `${name} is not here yet`
  const order = scene.order(scene.course.orderAt(number, ms))
  const { does } = wordsOf(actor.kind, state)
  return `${name} ${does.replace("ORDER", order === null ? "an order" : orderName(order.order.number))}`
}

/** `Runner · Quayside`. */
export function kindAndSite(scene: Scene, number: number): string {
  const actor = scene.actors[number]
  if (actor === undefined) return ""
  return `${KIND_NAMES[actor.kind]} · ${titled(scene.head.sites[actor.site]?.name ?? "")}`
}

interface Promised {
  readonly tone: "bad" | "idle" | "ok" | "wait"
  readonly word: string
  /** `on board by 12:34` */
  readonly promise: string
  /** `Late by 25 s`, `4 min left`, `kept with 2 min to spare`. */
  readonly margin: string
}

export function promisedAt(scene: Scene, seen: SeenOrder, ms: number): Promised {
  const { order, metMs, endMs } = seen
  const until = scene.clock.minute(order.promisedMs)
  const promise = `${order.product === "reservation" ? "on board" : "at the door"} by ${until}`
  const isMet = metMs !== null && metMs <= ms
  if (isMet && metMs > order.promisedMs)
    return { tone: "bad", word: "Was late", promise, margin: `late by ${inWords(metMs - order.promisedMs)}` }
  if (isMet)
    return {
      tone: "ok",
      word: "In time",
      promise,
      margin: `${inWords(order.promisedMs - metMs)} to spare`,
    }
  if (endMs !== null && endMs <= ms) return { tone: "bad", word: "Lost", promise, margin: "never met" }
  if (isLateAt(seen, ms))
    return { tone: "bad", word: "Late", promise, margin: `Late by ${inWords(ms - order.promisedMs)}` }
  return { tone: "idle", word: "Open", promise, margin: `${dwell(order.promisedMs - ms)} left` }
}
