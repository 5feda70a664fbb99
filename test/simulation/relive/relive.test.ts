/** A record under its own rules is the record; under another rule exactly the visits differ that the rule touches. */

import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { program } from "../../../src/apps/composition/program.ts"
import { idOf } from "../../../src/model/address.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { rootOf } from "../../../src/engine/services/actors.ts"
import { firstUnlike } from "../../../src/simulation/relive/control.ts"
import { OldFacts } from "../../../src/simulation/relive/old-facts.ts"
import { Recorded } from "../../../src/simulation/relive/recorded.ts"
import { relive } from "../../../src/simulation/relive/relive.ts"
import { isOver, relived } from "../../../src/simulation/relive/relived.ts"
import { UNCHANGED, readRule } from "../../../src/simulation/relive/rule.ts"
import type { Rule } from "../../../src/simulation/relive/rule.ts"
import { Unrecorded } from "../../../src/simulation/relive/unrecorded.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import type { ReplayedTurn } from "../../../src/simulation/replay.ts"
import { recordedDay } from "../fleet/moment/recorded-day.ts"
import { LATE_ROBOTS, touchedByGrace } from "./late-robots.ts"

const KEPT = join(import.meta.dirname, "../replay")
const kept = readdirSync(KEPT).filter((name) => name.endsWith(".ndjson"))

/** By run of the file. */
function runsOf(name: string): readonly (readonly ReplayedTurn[])[] {
  const runs: ReplayedTurn[][] = []
  replayRecord(readFileSync(join(KEPT, name), "utf8"), program, null, (turn) => {
    ;(runs[turn.run - 1] ??= []).push(turn)
  })
  return runs
}

function ruleOf(policy: string): Rule {
  const { rule, problems } = readRule({
    file: "rule.yaml",
    text: `rule: Another limit\npolicy: { ${policy} }\n`,
  })
  expect(problems).toEqual([])
  return rule ?? UNCHANGED
}

function under(turns: readonly ReplayedTurn[], rule: Rule) {
  const wording = {
    clock: (atMs: number) => new Date(atMs).toISOString().slice(11, 19),
    eventName: (type: string) => type,
  }
  const found = relive({ turns, rule, program, wording })
  if (found.unlike !== null) throw new Error(`entry ${found.unlike.s} is unlike`)
  return found.answer
}

describe("with the rule unchanged", () => {
  test.each(kept)("every kept journal comes again to the hash: %s", (name) => {
    const runs = runsOf(name)
    expect(runs.length).toBeGreaterThan(0)
    for (const turns of runs) {
      const recorded = new Recorded(turns)
      const course = relived({ recorded, unrecorded: new Unrecorded(recorded), rule: UNCHANGED, program })
      expect(firstUnlike(recorded, course)).toBeNull()
      expect(course).toMatchObject({ dropped: [], unanswered: 0 })
      expect(course.turns).toHaveLength(turns.length)
    }
  })

  test("a record that lacks an input is named as one that cannot be re-lived", () => {
    const [turns = []] = runsOf("reservations.ndjson")
    const cut = turns.findIndex(({ input }) => input.event?.type === "bot.arrived")
    const lacking = turns.filter((_, at) => at !== cut)
    const group = turns[cut]?.result.group.address
    const next = lacking.slice(cut).find(({ result }) => result.group.address === group)
    const found = relive({
      turns: lacking,
      rule: UNCHANGED,
      program,
      wording: { clock: String, eventName: (type) => type },
    })
    expect(found.unlike).toEqual({ because: "another", s: next?.s, group })
  })
})

describe("a planted change of one limit", () => {
  let day: readonly ReplayedTurn[] = []
  beforeAll(() => {
    day = recordedDay(LATE_ROBOTS, 7).turns
  })

  /** Visits of the record that were canceled when their window and its grace ended, by the time of that. */
  const expired = () =>
    day.filter(
      ({ input, result }) =>
        input.timer?.includes("window and grace") === true &&
        rootOf("reservation", result.group).state === "canceled",
    )

  test("a longer grace differs in exactly the visits whose window ran out", () => {
    const answer = under(day, ruleOf("window_grace: 1h"))
    expect(expired().length).toBeGreaterThan(1)
    expect(answer.differing.map(({ id }) => id).toSorted()).toEqual(
      expired()
        .map(({ result }) => idOf(result.group.address))
        .toSorted(),
    )
    for (const { first, is_drawn: isDrawn, change } of answer.differing) {
      expect(expired().map(({ s }) => s)).toContain(first.entry)
      // The record has nothing of them after their end, so what saves one is drawn.
      if (change === "saved") expect(isDrawn).toBe(true)
    }
    expect(answer.rule.changes).toMatchObject([{ word: "window_grace", before: ["15m"], after: "1h" }])
    expect(answer).toMatchObject({ lost: 0, dropped: { missing: 0, refused: 0, there: 0 } })
  })

  test("a shorter grace differs in exactly the visits that were open for longer, and draws nothing", () => {
    const answer = under(day, ruleOf("window_grace: 5m"))
    const touched = touchedByGrace(day, 5 * MINUTE_MS)
    expect(touched.length).toBeGreaterThan(expired().length)
    expect(answer.differing.map(({ id }) => id).toSorted()).toEqual(touched)
    expect(answer.drawn).toBe(0)
    expect(answer.dropped.refused).toBeGreaterThan(0)
  })

  test("the value that the record has differs in nothing", () => {
    expect(under(day, ruleOf("window_grace: 15m, bot_wait: 10m"))).toMatchObject({ differ: 0, differing: [] })
  })

  test("a booking while a stall is held for longer is one over old facts, and no other", () => {
    const recorded = new Recorded(day)
    const course = relived({
      recorded,
      unrecorded: new Unrecorded(recorded),
      rule: ruleOf("window_grace: 1h"),
      program,
    })
    const bookings = day.filter(({ input }) => input.decision === "book@1")
    const overOld = bookings.filter(({ input }) =>
      expired().some(({ result }) => {
        const over = course.turns.find(
          (turn) => turn.result.group.address === result.group.address && isOver(turn.result.group),
        )
        const untilMs = over?.result.instantMs ?? Infinity
        return input.instantMs > result.instantMs && input.instantMs <= untilMs
      }),
    )
    expect(overOld.length).toBeGreaterThan(0)
    expect(overOld.length).toBeLessThan(bookings.length)
    expect([...new OldFacts(recorded, course).ids].toSorted()).toEqual(
      overOld.map(({ input }) => idOf(input.to)).toSorted(),
    )
  })

  test("the same rule gives the same answer again", () => {
    const rule = ruleOf("window_grace: 1h, bot_wait: 2m")
    expect(under(day, rule)).toEqual(under(day, rule))
  })

  test("a window that the new limits forbid is a visit that never came to be", () => {
    const answer = under(day, ruleOf("window_width_max: 1m"))
    expect(answer.differ).toBe(answer.visits)
    expect(answer.met.after).toBe(0)
    expect(answer.dropped.missing).toBeGreaterThan(0)
    expect(answer.dropped.refused).toBe(answer.visits)
    expect(answer.differing.every(({ after }) => after.is === "none")).toBe(true)
  })

  test("a limit that nothing in the record has changes nothing, and the answer shows that", () => {
    const answer = under(day, ruleOf("errand_hold: 1m"))
    expect(answer).toMatchObject({
      differ: 0,
      rule: { changes: [{ word: "errand_hold", before: [], after: "1m" }] },
    })
  })
})

describe("a call that the record does not have", () => {
  const [turns = []] = runsOf("compartments.ndjson")
  const recorded = new Recorded(turns)
  const unrecorded = new Unrecorded(recorded)
  const made = recorded.turns.flatMap(({ result }) =>
    result.calls
      .filter(({ call }) => call === "open_compartment")
      .map((call) => ({ call, atMs: result.instantMs })),
  )

  test("is answered as the nearest of its kind was, and after the same time", () => {
    expect(made.length).toBeGreaterThan(1)
    for (const { call, atMs } of made) {
      const answered = recorded.turns.find(
        ({ input }) =>
          input.by === "result" && input.to === call.actor && input.event?.["attempt"] === call.attempt,
      )
      expect(unrecorded.answerTo({ ...call, attempt: 9 }, atMs + 1)).toEqual({
        event: answered?.input.event,
        tookMs: (answered?.result.instantMs ?? 0) - atMs,
      })
    }
  })

  test("of a kind that was never answered has no answer", () => {
    const [{ call, atMs } = { call: null, atMs: 0 }] = made
    if (call === null) throw new Error("the record has no call")
    expect(unrecorded.answerTo({ ...call, call: "never_made" }, atMs)).toBeNull()
  })
})

test.each([
  ["rule: One\npolicy: { window_gracee: 5m }\n", /unknown key "window_gracee"/],
  ["rule: One\npolicy: { window_grace: soon }\n", /a duration such as/],
  ["rule: One\npolicy: { window_grace: 0s }\n", /above 0/],
  ["rule: One\npolicy: { window_grace: 31d }\n", /up to 30d/],
  ["rule: One\npolicy: {}\n", /changes nothing/],
  ["policy: { window_grace: 5m }\n", /the key "rule" is missing/],
  ["rule: One\ndispatch: nearest\npolicy: { bot_wait: 5m }\n", /unknown key "dispatch"/],
])("a rule file with a mistake is refused with its place: %j", (text, message) => {
  const { rule, problems } = readRule({ file: "rule.yaml", text })
  expect(rule).toBeNull()
  expect(problems.map(({ message: said, expected }) => `${said} ${expected}`).join()).toMatch(message)
  expect(problems[0]?.place).toMatchObject({ file: "rule.yaml" })
})
