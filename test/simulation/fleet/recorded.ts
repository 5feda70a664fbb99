/** Courses of runs, and the ways in them. */

import { Course } from "../../../src/model/replay/course-reader.ts"
import type { CourseChange, CourseLeg } from "../../../src/model/replay/course-reader.ts"
import type { ActorKind, CoursePlace } from "../../../src/model/replay/course.ts"
import { courseOf } from "../../../src/model/replay/written-course.ts"
import { metresBetween } from "../../../src/areas/dispatch/geography.ts"
import type { Place } from "../../../src/model/place.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { replicate } from "../../../src/simulation/fleet/world/replication.ts"
import type { Replication } from "../../../src/simulation/fleet/world/replication.ts"

export function recorded(
  model: FleetModel,
  seed: number,
): { readonly made: Replication; readonly course: Course } {
  const made = replicate(model, { seed, hasCourse: true })
  return { made, course: courseFrom(made) }
}

export function courseFrom({ course: written }: Replication): Course {
  if (written === null) throw new Error("the run has no course")
  const course = new Course()
  course.append(courseOf(written))
  return course
}

export function metresApart(one: CoursePlace | null, other: CoursePlace | null): number {
  if (one === null || other === null) throw new Error("a place is not known")
  const [from, to] = [one, other].map(([latitude, longitude]) => ({ latitude, longitude }))
  return metresBetween(from as Place, to as Place)
}

/** Numbers of the actors of a kind. */
export function actorsOf({ actors }: Course, kind: ActorKind): readonly number[] {
  return [...actors.keys()].filter((actor) => actors[actor]?.kind === kind)
}

/** What all actors of a kind began, in the order of time. */
export function changesOfAll(
  course: Course,
  kind: ActorKind,
): readonly (CourseChange & { readonly actor: number })[] {
  return actorsOf(course, kind)
    .flatMap((actor) => course.changesOf(actor).map((change) => ({ ...change, actor })))
    .toSorted((one, other) => one.atMs - other.atMs)
}

/** The ways of all vehicles, each with its legs; a way from a store to a door is one. */
export function drivesOf(course: Course): readonly (readonly CourseLeg[])[] {
  return actorsOf(course, "vehicle").flatMap((actor) => {
    const drives: CourseLeg[][] = []
    for (const leg of course.legsOf(actor)) {
      if (leg.untilMs === leg.fromMs) continue
      const last = drives.at(-1)
      const before = last?.at(-1)
      if (before?.untilMs === leg.fromMs && before.state === leg.state) last?.push(leg)
      else drives.push([leg])
    }
    return drives
  })
}
