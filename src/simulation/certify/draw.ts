/** From a seed to the steps of one sequence: some events in their order, and every playable fault somewhere between them. */

import { Streams } from "../../engine/kernel/random.ts"
import { Chance } from "../swarm/chance.ts"
import { faultOf } from "./catalogue.ts"
import type { FaultName } from "./catalogue.ts"
import type { Course, CourseEvent } from "./course.ts"

/** One fault, played with one event of a course. */
export interface Step {
  readonly fault: FaultName
  /** Its place in the course; 0 for the call that opens the bot. */
  readonly event: number
}

/** Events that a sequence sends as usual. */
const USUAL_EVENTS = 6

/** The same for every course of an API, because courses differ in their ids alone. */
export function drawSteps(seed: number, course: Course, faults: readonly FaultName[]): readonly Step[] {
  const chance = new Chance(new Streams(seed), "certify")
  const places = course.events.map((_, place) => place)
  const chosen = chance.shuffled(places).slice(0, USUAL_EVENTS)
  const steps: Step[] = chosen
    .toSorted((one, other) => one - other)
    .map((event) => ({ fault: "usual", event }))
  for (const fault of chance.shuffled(faults)) {
    if (fault === "usual" || fault === FORGED) continue
    const at = chance.between(firstPlaceFor(fault, steps), steps.length)
    const before = steps.slice(0, at).filter(isAccepted)
    steps.splice(at, 0, { fault, event: eventFor(fault, { course, before, chance }) })
  }
  const real = steps.find((step) => isAccepted(step) && course.events[step.event]?.status !== null)
  return [{ fault: FORGED, event: real?.event ?? 0 }, ...steps]
}

/** Comes first, with the event that the receiver learns first: one that noted the id of the forged one ignores the real one. */
const FORGED = "wrong_secret"

/** A repeat needs an event before it, and an older event a newer one. */
function firstPlaceFor(fault: FaultName, steps: readonly Step[]): number {
  if (fault === "late") return steps.findLastIndex((step) => step.fault === "usual") + 1
  return faultOf(fault).event === "sent" ? steps.findIndex((step) => step.fault === "usual") + 1 : 0
}

function isAccepted({ fault }: Step): boolean {
  const { event, wants } = faultOf(fault)
  return event !== "opening" && wants === "accepted"
}

interface Drawing {
  readonly course: Course
  readonly before: readonly Step[]
  readonly chance: Chance
}

function eventFor(fault: FaultName, { course: { events }, before, chance }: Drawing): number {
  const any = events.map((_, place) => place)
  const sent = before.map(({ event }) => event)
  switch (faultOf(fault).event) {
    case "opening":
      return 0
    case "bare":
      return of(chance, barest(events))
    case "any":
      return of(chance, any)
    case "sent":
      return of(chance, fault === "late" ? olderThan(sent, events) : sent)
  }
}

/**
 * The events that are older than one of these about the same subject: if there are, those that were not sent and have another status, because
 * only they show a receiver that goes back.
 */
function olderThan(sent: readonly number[], events: readonly CourseEvent[]): readonly number[] {
  const older = events.flatMap((event, at) =>
    sent.some((other) => isNewer(events[other], event)) ? [at] : [],
  )
  const telling = older.filter((at) => {
    const newest = sent.findLast((other) => events[other]?.subject === events[at]?.subject) ?? at
    const status = events[at]?.status ?? null
    return !sent.includes(at) && status !== null && status !== events[newest]?.status
  })
  return telling.length > 0 ? telling : older
}

function isNewer(one: CourseEvent | undefined, other: CourseEvent): boolean {
  return one !== undefined && one.subject === other.subject && one.place > other.place
}

/** The events with the most fields that are null. */
function barest(events: readonly CourseEvent[]): readonly number[] {
  const nulls = events.map(({ body }) => body.split(":null").length)
  const most = Math.max(...nulls)
  return nulls.flatMap((count, place) => (count === most ? [place] : []))
}

function of(chance: Chance, list: readonly number[]): number {
  return list[chance.between(0, list.length - 1)] ?? 0
}
