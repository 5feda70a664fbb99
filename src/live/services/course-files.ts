/** The courses of the sandbox: the scenario files of this package that have the key `course`. Read when they are first needed. */

import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Layer } from "effect"
import { CourseBook } from "../../areas/courses/course.ts"
import type { Course } from "../../areas/courses/course.ts"
import { courseOf } from "../../simulation/scenario/course.ts"
import { formatProblem } from "../../simulation/scenario/language/problems.ts"
import { readSource } from "../../simulation/scenario/language/read.ts"

const FOLDER = fileURLToPath(new URL("../../../scenarios/", import.meta.url))

/** A line that begins with the key, so that other files need not be parsed. */
const HAS_COURSE = /^course:/m

/** In order of their names. Throws for a file that is not valid, with its problems. */
export function readCourses(folder: string = FOLDER): readonly Course[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.ya?ml$/.test(name),
  )
  const courses = files.flatMap((name) => {
    const text = readFileSync(join(folder, name), "utf8")
    return HAS_COURSE.test(text) ? coursesIn(name, text) : []
  })
  const sorted = courses.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const twice = sorted.find((one, at) => sorted[at + 1]?.name === one.name)
  if (twice !== undefined) throw new Error(`two scenario files have a course named ${twice.name}`)
  return sorted
}

function coursesIn(file: string, text: string): readonly Course[] {
  const { scenarios, problems } = readSource({ file, text }, null)
  if (problems.length > 0) throw new Error(problems.map((problem) => formatProblem(problem)).join("\n"))
  return scenarios.flatMap((scenario) => courseOf(scenario) ?? [])
}

let known: readonly Course[] | null = null

export const layerCourseBook: Layer.Layer<CourseBook> = Layer.succeed(CourseBook, {
  get courses() {
    known ??= readCourses()
    return known
  },
})
