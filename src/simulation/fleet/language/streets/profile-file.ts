/** Who uses the streets: a profile by its name, or a YAML file beside the model that changes rows of one. */

import {
  listOf,
  named,
  number,
  oneOf,
  optional,
  record,
  required,
  text,
} from "../../../scenario/language/shapes.ts"
import type { Shape } from "../../../scenario/language/shapes.ts"
import type { Problem } from "../../../scenario/language/problems.ts"
import { parseSource, reporter } from "../../../scenario/language/source.ts"
import { PROFILES } from "../../travel/profiles.ts"
import type { StreetProfile } from "../../travel/profiles.ts"
import { LIMIT_KMH } from "../../travel/speed-limit.ts"
import { hourly, speedFactor } from "../spread.ts"
import type { Hourly } from "../spread.ts"
import { textBeside } from "../beside.ts"
import type { Beside } from "../beside.ts"

const NAMES = ["car", "sidewalk_robot", "on_foot"] as const
const WORDS_MAX = 200

const kmh = number("km/h", LIMIT_KMH)
const kmhOrNo: Shape<number | null> = {
  words: `${kmh.words}, or no`,
  schema: { anyOf: [kmh.schema, { const: "no" }] },
  read: (value, report) => (value.type === "scalar" && value.text === "no" ? null : kmh.read(value, report)),
}
const tagValues = listOf("values", text, { min: 0, max: WORDS_MAX })

const profileShape = record("keys of a profile", {
  like: required("the profile whose rows hold where this file has none", oneOf(NAMES)),
  classes: optional(
    "km/h without a limit by value of highway, or by highway and service, such as service/driveway; no: not used",
    named("classes", kmhOrNo),
    new Map<string, number | null>(),
  ),
  surfaces: optional(
    "at most so many km/h by value of surface",
    named("surfaces", kmh),
    new Map<string, number>(),
  ),
  speeds: optional(
    "times the speeds on streets of a class of highway, also by the hour",
    named("classes", hourly(speedFactor)),
    new Map<string, Hourly<number>>(),
  ),
  closed: optional("values of access that close a street", tagValues, null),
  barriers: optional("values of barrier that close a point", tagValues, null),
})

const PROFILE = { noun: "profile of streets", keys: "like, classes, surfaces, speeds, closed, barriers" }

/** The profile, or what is wrong in a sentence. */
export function profileNamed(name: string, beside: Beside): StreetProfile | string {
  const known = NAMES.find((one) => one === name)
  if (known !== undefined) return PROFILES[known]
  if (!/\.ya?ml$/i.test(name))
    return `there is no profile ${JSON.stringify(name)}: write ${NAMES.join(", ")}, or a file such as van.yaml`
  const found = textBeside(name, beside)
  if ("fault" in found) return found.fault
  const problems: Problem[] = []
  const report = reporter(problems)
  const root = parseSource({ file: name, text: found.text }, report, PROFILE)
  const written = root === null ? undefined : profileShape.read(root, report)
  const [problem] = problems
  if (problem !== undefined || written === undefined) {
    const { place = { line: 1, column: 1 }, message = "it is no profile", expected } = problem ?? {}
    return `${name}:${place.line}:${place.column} ${message}${expected === undefined ? "" : `, expected ${expected}`}`
  }
  const like = PROFILES[written.like]
  return {
    ...like,
    name: name.replace(/\.ya?ml$/i, ""),
    kmhByClass: { ...like.kmhByClass, ...Object.fromEntries(written.classes) },
    // A class that the file names is used wherever it is.
    onPavement: like.onPavement.filter((one) => !written.classes.has(one)),
    kmhBySurface: { ...like.kmhBySurface, ...Object.fromEntries(written.surfaces) },
    speeds: { ...like.speeds, ...Object.fromEntries(written.speeds) },
    closed: written.closed ?? like.closed,
    barriers: written.barriers ?? like.barriers,
  }
}
