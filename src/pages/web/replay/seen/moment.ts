/** What holds at an instant: the four counters, who waits for what, and both in a sentence with its cause. */

import type { CourseLevelName } from "../../../../model/replay/course.ts"
import { isLateAt, isOpenAt, stageAt } from "./orders.ts"
import type { Scene } from "./scene.ts"

type Resource = CourseLevelName["resource"]

interface Counts {
  readonly open: number
  readonly late: number
  readonly onBoard: number
  /** Runners, or vehicles in a run without runners; null without both. */
  readonly free: { readonly of: "runners" | "vehicles"; readonly free: number; readonly duty: number } | null
}

/** Orders that wait for one kind of thing at one site. */
interface Waiting {
  readonly resource: Resource
  readonly site: number
  readonly count: number
}

export const ONE_OF: Readonly<Record<Resource, string>> = {
  cooks: "a cook",
  runners: "a runner",
  stalls: "a stall",
  vehicles: "a vehicle",
}

const RESOURCES: readonly Resource[] = ["runners", "vehicles", "stalls", "cooks"]

export function countsAt(scene: Scene, ms: number): Counts {
  let [open, late, onBoard] = [0, 0, 0]
  for (const seen of scene.ordersAround(ms)) {
    if (!isOpenAt(seen, ms)) continue
    open += 1
    if (isLateAt(seen, ms)) late += 1
    if (stageAt(seen, ms) === "on board") onBoard += 1
  }
  const of = freeKind(scene)
  const free = of === null ? null : scene.freeAt(of, ms)
  return { open, late, onBoard, free: of === null || free === null ? null : { of, ...free } }
}

/** What the fourth counter is about. */
export function freeKind(scene: Scene): "runners" | "vehicles" | null {
  const has = (resource: Resource): boolean =>
    scene.course.levels.some((name) => name.resource === resource && name.what === "duty")
  return has("runners") ? "runners" : has("vehicles") ? "vehicles" : null
}

/** The longest queue, of one site or of all; null when nothing waits. */
export function longestWait(scene: Scene, ms: number, site: number | null = null): Waiting | null {
  let longest: Waiting | null = null
  for (const resource of RESOURCES)
    for (const [number] of scene.head.sites.entries()) {
      if (site !== null && site !== number) continue
      const count = scene.levelAt({ resource, what: "queue" }, ms, number) ?? 0
      if (count > (longest?.count ?? 0)) longest = { resource, site: number, count }
    }
  return longest
}

export function waitWords({ resource, count }: Waiting): string {
  return `${count} ${count === 1 ? "waits" : "wait"} for ${ONE_OF[resource]}`
}

interface Sentence {
  readonly title: string
  /** Since when, and what is not the cause. */
  readonly cause: string
}

export function sentenceAt(scene: Scene, ms: number): Sentence {
  const { open, late } = countsAt(scene, ms)
  const waiting = longestWait(scene, ms)
  const part = partOfDay(scene, ms, open)
  if (open === 0) return { title: `${part}: no order is open.`, cause: nextOf(scene, ms) }
  const parts = [
    `${open} open`,
    ...(late === 0 ? [] : [`${late} ${late === 1 ? "is" : "are"} late`]),
    ...(waiting === null ? [] : [waitWords(waiting)]),
  ]
  const title = `${part}: ${parts.join(", ")}${parts.length === 1 ? ", all in time" : ""}.`
  return { title, cause: waiting === null ? calmCause(scene, ms, late) : causeOf(scene, waiting, ms) }
}

function partOfDay(scene: Scene, ms: number, open: number): string {
  const hour = scene.clock.hour(ms)
  const name =
    hour < 5
      ? "Night"
      : hour < 11
        ? "Morning"
        : hour < 14
          ? "Lunch"
          : hour < 17
            ? "Afternoon"
            : hour < 22
              ? "Evening"
              : "Night"
  const most = scene.totals().open.reduce((one, other) => Math.max(one, other), 0)
  return most >= PEAK_ORDERS_MIN && open >= PEAK_SHARE * most ? `${name} peak` : name
}

const PEAK_ORDERS_MIN = 6
const PEAK_SHARE = 0.75

function causeOf(scene: Scene, { resource, site }: Waiting, ms: number): string {
  const name = scene.head.sites[site]?.name ?? "The site"
  const one = ONE_OF[resource].replace(/^a /, "")
  const since = busySince(scene, resource, site, ms)
  const duty = scene.levelAt({ resource, what: "duty" }, ms, site)
  const said =
    duty === 0
      ? `${titled(name)} has no ${one} on duty`
      : since === null
        ? `${titled(name)} has the longest queue`
        : `${titled(name)} has had no ${one} free since ${scene.clock.minute(since)}`
  const others = (["cooks", "runners", "stalls", "vehicles"] as const).filter(
    (other) =>
      other !== resource &&
      scene.levelAt({ resource: other, what: "queue" }, ms, site) === 0 &&
      (scene.freeAt(other, ms, site)?.free ?? 0) > 0,
  )
  const [other] = others
  return other === undefined ? `${said}.` : `${said}; ${KEEPS_UP[other]}.`
}

const KEEPS_UP: Readonly<Record<Resource, string>> = {
  cooks: "its kitchens keep up",
  runners: "its runners keep up",
  stalls: "stalls are free",
  vehicles: "its vehicles keep up",
}

/** The instant from which none was free; null while one is, or when it is not known. */
function busySince(scene: Scene, resource: Resource, site: number, ms: number): number | null {
  if ((scene.freeAt(resource, ms, site)?.free ?? 1) > 0) return null
  const instants = scene.instants
  let at = instants.findLastIndex((instant) => instant <= ms)
  for (; at > 0; at -= 1)
    if ((scene.freeAt(resource, (instants[at] ?? 0) - 1, site)?.free ?? 1) > 0) return instants[at] ?? null
  return 0
}

function calmCause(scene: Scene, ms: number, late: number): string {
  if (late > 0) return "No queue: what is late was late before it came here."
  const of = freeKind(scene)
  const free = of === null ? null : scene.freeAt(of, ms)
  return of === null || free === null
    ? "Nothing waits."
    : `Nothing waits; ${free.free} of ${free.duty} ${of} are free.`
}

function nextOf(scene: Scene, ms: number): string {
  const next = scene.instants.find((at) => at > ms)
  return next === undefined
    ? scene.head.isRecord === true
      ? "Nothing more has happened so far."
      : "Nothing more happens in this run."
    : `The next thing happens at ${scene.clock.second(next)}.`
}

/** `north-gate` as a name: `North-gate`. */
export function titled(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
