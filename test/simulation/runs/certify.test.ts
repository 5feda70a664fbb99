/** What `curbline certify` finds: receivers with one planted fault, as functions, and a right one over many seeds. */

import { describe, expect, test } from "vitest"
import type { WebhookArea } from "../../../src/model/webhook.ts"
import { FAULTS, faultOf, playableFaults } from "../../../src/simulation/certify/catalogue.ts"
import type { Playable } from "../../../src/simulation/certify/catalogue.ts"
import { certify } from "../../../src/simulation/certify/certify.ts"
import type { CertifyOptions } from "../../../src/simulation/certify/certify.ts"
import { courseOf } from "../../../src/simulation/certify/course.ts"
import type { Course } from "../../../src/simulation/certify/course.ts"
import { drawSteps } from "../../../src/simulation/certify/draw.ts"
import { STEP_PAUSE_MS } from "../../../src/simulation/certify/play.ts"
import { NOW_MS, PartnerReceiver, SECRETS } from "./partner-receiver.ts"
import type { Planted } from "./partner-receiver.ts"

const OPEN_LINK = "https://bots.partner.example/open"

/** Courses are made once; a fresh receiver knows none of them. */
const courses = new Map<string, Course>()
function courseNumber(api: WebhookArea, seed: number): Course {
  const key = `${api} ${seed}`
  const course = courses.get(key) ?? courseOf({ api, seed, nowMs: NOW_MS })
  courses.set(key, course)
  return course
}

function playable(api: WebhookArea): Playable {
  return { api, ...SECRETS, openLinkUrl: api === "reservations" ? OPEN_LINK : null }
}

function against(api: WebhookArea, receiver: PartnerReceiver): Omit<CertifyOptions, "newCourse"> {
  const faults = playableFaults(playable(api))
  return { api, receiver, secrets: SECRETS, faults, seeds: [1, 2], requestsMax: 10_000 }
}

const PLANTED: readonly (readonly [Planted, WebhookArea, number])[] = [
  ["checks no signature", "reservations", 1],
  ["checks no signature", "direct_delivery", 1],
  ["decodes the secret as hex", "reservations", 1],
  ["decodes the secret as hex", "direct_delivery", 1],
  ["knows the old secret alone", "reservations", 1],
  ["forgets the old secret at the first use of the new one", "reservations", 2],
  ["has no tolerance of time", "reservations", 1],
  ["takes any time", "reservations", 1],
  ["writes the body again before it verifies", "reservations", 1],
  ["writes the body again before it verifies", "direct_delivery", 1],
  ["refuses unknown events", "reservations", 1],
  ["refuses unknown fields", "direct_delivery", 1],
  ["refuses large bodies", "reservations", 1],
  ["refuses repeats", "reservations", 2],
  ["applies repeats again", "direct_delivery", 3],
  ["applies repeats again", "reservations", 2],
  ["lets an old event overwrite", "reservations", 2],
  ["lets an old event overwrite", "direct_delivery", 2],
  ["notes the delivery before it verifies", "reservations", 2],
  ["answers bursts too late", "reservations", 1],
  ["redirects", "direct_delivery", 1],
  ["needs every field", "reservations", 1],
  ["opens twice", "reservations", 2],
]

describe("a receiver with one fault is found, and shown by few steps:", () => {
  test.each(PLANTED)("it %s, %s", async (planted, api, stepsMax) => {
    let number = 0
    const result = await certify({
      ...against(api, new PartnerReceiver(api, planted)),
      newCourse: () => courseNumber(api, (number += 1)),
    })
    expect(result.verdict).toBe("failed")
    expect(result.finding?.isShortest).toBe(true)
    expect(result.finding?.steps.length).toBeLessThanOrEqual(stepsMax)
  })
})

test.each<WebhookArea>(["reservations", "direct_delivery"])(
  "a right receiver of %s passes two thousand seeds",
  async (api) => {
    const course = courseNumber(api, 1)
    const failed: number[] = []
    for (let seed = 1; seed <= 2000; seed += 1) {
      const receiver = new PartnerReceiver(api)
      const result = await certify({ ...against(api, receiver), seeds: [seed], newCourse: () => course })
      // A longer pause would be a state that was read again.
      const isAtOnce = receiver.pausedMs === result.steps * STEP_PAUSE_MS
      if (result.verdict !== "passed" || !isAtOnce) failed.push(seed)
    }
    expect(failed).toEqual([])
  },
)

test("every seed plays every fault that can be played, and an older event after a newer one", () => {
  const course = courseNumber("reservations", 1)
  const faults = playableFaults(playable("reservations"))
  expect(faults).toEqual(Object.keys(FAULTS))
  for (let seed = 1; seed <= 50; seed += 1) {
    const steps = drawSteps(seed, course, faults)
    expect(new Set(steps.map(({ fault }) => fault))).toEqual(new Set(faults))
    const at = steps.findIndex(({ fault }) => fault === "duplicate")
    expect(steps.slice(0, at).map(({ event }) => event)).toContain(steps[at]?.event)
    const late = steps.findIndex(({ fault }) => fault === "late")
    const older = course.events[steps[late]?.event ?? -1]
    const newer = steps.slice(0, late).flatMap(({ fault, event }) => {
      const { event: about, wants } = faultOf(fault)
      return wants === "accepted" && about !== "opening" ? (course.events[event] ?? []) : []
    })
    expect(newer.some(({ subject, place }) => subject === older?.subject && place > older.place)).toBe(true)
  }
  expect(drawSteps(7, course, faults)).toEqual(drawSteps(7, courseNumber("reservations", 2), faults))
})

test("what was not given is not played", () => {
  const none = { newSecret: null, openLinkUrl: null, openLinkSecret: null }
  const faults = playableFaults({ api: "direct_delivery", ...none })
  expect(faults).not.toContain("rotated_secret")
  expect(faults).not.toContain("open_link")
  expect(faults).not.toContain("too_old")
  expect(faults).toContain("wrong_secret")
  expect(playableFaults({ api: "reservations", ...none, openLinkUrl: OPEN_LINK })).not.toContain(
    "open_link_forged",
  )
})

test("no more requests are sent than allowed, and what was not played has not passed", async () => {
  const api = "reservations"
  let number = 0
  const newCourse = (): Course => courseNumber(api, (number += 1))
  const few = await certify({ ...against(api, new PartnerReceiver(api)), newCourse, requestsMax: 40 })
  expect(few).toMatchObject({ verdict: "incomplete", seedsPassed: 0 })
  expect(few.requests).toBeLessThanOrEqual(40)
  const failing = (max: number) => {
    const receiver = new PartnerReceiver(api, "refuses repeats")
    return certify({ ...against(api, receiver), newCourse, requestsMax: max })
  }
  const whole = await failing(10_000)
  const cut = await failing(whole.requests - 1)
  expect(cut).toMatchObject({ verdict: "failed", finding: { isShortest: false } })
  expect(cut.requests).toBeLessThan(whole.requests)
})
