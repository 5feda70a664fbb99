/** A fork goes on from a moment of a journal as the journal did, unless its file says otherwise. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { program } from "../../../src/apps/composition/program.ts"
import { languageNames } from "../../../src/cli/scenarios/scenario-files.ts"
import type { EntryBody } from "../../../src/engine/kernel/journal.ts"
import { kindOf } from "../../../src/model/address.ts"
import { forkPoint, runFork } from "../../../src/simulation/fork/fork.ts"
import type { Fork } from "../../../src/simulation/fork/fork.ts"
import { UnusableJournal, journalAt } from "../../../src/simulation/fork/journal.ts"
import { readWhatIf } from "../../../src/simulation/fork/what-if.ts"
import type { WhatIf } from "../../../src/simulation/fork/what-if.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import { recordOfRun } from "../../../src/simulation/run-record.ts"
import { recordOf } from "../../../src/simulation/scenario/run.ts"
import type { RecordedRun } from "../../../src/simulation/run-record.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { recordContext } from "../../../src/live/configuration/build.ts"
import { isLong } from "../../long-tests.ts"
import { scenarioNamed } from "../../pages/inspection/records.ts"

const context = { ...recordContext(), charts: {} }
const names = languageNames()

const NOTHING: WhatIf = {
  title: "nothing is different",
  groupByName: new Map(),
  environment: "production",
  seed: 1,
  commands: "recorded",
  steps: [],
  file: "nothing.yaml",
}

async function recordOfScenario(name: string): Promise<string> {
  return recordOf(runScenario(await scenarioNamed(name)), context)
}

function kept(name: string): string {
  return readFileSync(join(import.meta.dirname, `../replay/${name}.ndjson`), "utf8")
}

/** The numbers of a run's entries. */
function entriesOf(text: string, run: number): readonly number[] {
  return kindsOf(text, run).map(([s]) => s)
}

interface Fields {
  readonly k?: string
  readonly s?: number
  readonly e?: EntryBody
}

/** The number of each entry of a run, and its kind. */
function kindsOf(text: string, run: number): readonly (readonly [s: number, kind: string])[] {
  let number = 0
  return text.split("\n").flatMap((line) => {
    const { k, s = 0, e }: Fields = line === "" ? {} : (JSON.parse(line) as Fields)
    if (k === "run") number += 1
    if (k !== "turn" || e === undefined || number !== run) return []
    return [[s, `${kindOf(e.to)} ${e.by} ${e.event?.type ?? "start"}`] as const]
  })
}

/** What happened, without numbers, chance and versions of machines: new groups have those of today. */
function courseOf(
  entries: RecordedRun["entries"],
  nameOf: Fork["recordedGroupOf"] = (group) => group,
): readonly string[] {
  return entries
    .map(({ entry, instantMs }) => {
      const { to, by, event, refused, steps } = JSON.parse(entry.text) as EntryBody
      const named = (address: string): string => nameOf(entry.group) + address.slice(entry.group.length)
      const states = steps.map(({ a, value, did }) => [named(a), value, did])
      return JSON.stringify([instantMs, named(to), by, event?.type ?? "start", refused, states])
    })
    .toSorted()
}

function whatIf(text: string, journal: Parameters<typeof forkPoint>[0]): WhatIf {
  const read = readWhatIf({ file: "what-if.yaml", text }, { names, point: forkPoint(journal) })
  expect(read.problems).toEqual([])
  return read.whatIf as WhatIf
}

function problemsOf(text: string, journal: Parameters<typeof forkPoint>[0]): readonly string[] {
  const { problems } = readWhatIf({ file: "what-if.yaml", text }, { names, point: forkPoint(journal) })
  return problems.map(({ message }) => message)
}

/** The first entry of a run and of each kind, the last one, and every fifth; all of them with `npm run test:long`. */
function entriesTried(text: string, run: number): readonly number[] {
  const entries = entriesOf(text, run)
  if (isLong) return entries
  const kindByEntry = new Map(kindsOf(text, run))
  const kinds = new Set<string>()
  return entries.filter((s, at) => {
    const kind = kindByEntry.get(s) ?? ""
    const isFirst = !kinds.has(kind)
    kinds.add(kind)
    return isFirst || at % 5 === 0 || at === entries.length - 1
  })
}

/** The whole course of a fork at each of these entries, beside that of the journal. */
function coursesFrom(text: string, run: number) {
  return entriesTried(text, run).map((s) => {
    const journal = journalAt(text, program, { run, s })
    const fork = runFork(journal, NOTHING, program)
    const want = courseOf(
      journal.turns.flatMap(({ result: { entry, instantMs } }) =>
        entry === null ? [] : { entry, instantMs },
      ),
    )
    const got = courseOf(fork.run.entries, fork.recordedGroupOf)
    return { s, want, got, leftOut: fork.leftOut }
  })
}

describe("a fork without other steps repeats the journal, from its entries", () => {
  test.each([
    ["reservations", 1],
    ["deliveries", 1],
    ["deliveries", 2],
    ["errands", 1],
    ["compartments", 1],
    ["pools", 2],
    ["runner-calls", 1],
  ])("the kept journal %s, run %d", (name, run) => {
    for (const { s, want, got, leftOut } of coursesFrom(kept(name), run))
      expect({ s, got, leftOut }).toEqual({ s, got: want, leftOut: [] })
  })

  test.each([
    "reservations/the-open-link-fails-three-times",
    "reservations/a-receiver-that-is-down-for-seven-attempts",
    "courier/the-processor-is-slow",
    "direct-delivery/a-receiver-that-recovers",
  ])("answers of the outside are those of the journal: %s", async (name) => {
    for (const { s, want, got, leftOut } of coursesFrom(await recordOfScenario(name), 1))
      expect({ s, got, leftOut }).toEqual({ s, got: want, leftOut: [] })
  })

  test("the new course is a record that replays", async () => {
    const text = await recordOfScenario("reservations/the-open-link-fails-three-times")
    const journal = journalAt(text, program, { run: 1, s: entriesOf(text, 1)[9] ?? 0 })
    const { run } = runFork(journal, NOTHING, program)
    const { difference, entries } = replayRecord(recordOfRun(run, context), program)
    expect({ difference, entries }).toEqual({ difference: null, entries: run.entries.length })
  })

  test("the same file on the same moment gives the same course", async () => {
    const text = await recordOfScenario("direct-delivery/a-receiver-that-recovers")
    const journal = journalAt(text, program, { run: 1, s: entriesOf(text, 1)[4] ?? 0 })
    expect(runFork(journal, NOTHING, program).run.hash).toBe(runFork(journal, NOTHING, program).run.hash)
  })
})

describe("a fork with other steps", () => {
  const ANSWERS = `
what_if: the open link had answered 200
names: { lunch: jqSE }
steps:
  - { inject: open_link.answers, for: lunch, with: { answers: [200] } }
  - expect: { state: opened, actor: open-link, for: lunch, within: 10s }
  - expect: { open_link: lunch, calls: 1, within: 1m }
`

  async function runnerAtUnit() {
    const text = await recordOfScenario("reservations/the-open-link-fails-three-times")
    const line = text.split("\n").find((one) => one.includes('"event":{"type":"runner.at_unit"'))
    return { text, s: (JSON.parse(line ?? "{}") as { readonly s: number }).s }
  }

  /** The last state of an actor in a run. */
  function stateOf({ entries }: RecordedRun, part: string): unknown {
    const steps = entries.flatMap(({ entry }) => (JSON.parse(entry.text) as EntryBody).steps)
    return steps.findLast(({ a }) => a.endsWith(part))?.value
  }

  test("a call that was in flight gets the file's answer, and later commands of the journal come again", async () => {
    const { text, s } = await runnerAtUnit()
    const journal = journalAt(text, program, { run: 1, s })
    const fork = runFork(journal, whatIf(ANSWERS, journal), program)
    expect(fork.failures).toEqual([])
    expect(stateOf(fork.run, "/open-link-1")).toBe("opened")
    const later = fork.run.entries.slice(fork.kept).map(({ entry }) => JSON.parse(entry.text) as EntryBody)
    expect(later.find(({ event }) => event?.type === "open_link.retried")?.refused).toBe("INVALID_STATE")
    expect(later.find(({ event }) => event?.type === "load.recorded")?.refused).toBeNull()
    expect(later.flatMap(({ steps }) => steps).some(({ a }) => a.endsWith("/open-link-2"))).toBe(false)
  })

  test("commands: none leaves the commands of the journal out", async () => {
    const { text, s } = await runnerAtUnit()
    const journal = journalAt(text, program, { run: 1, s })
    const fork = runFork(journal, whatIf(`${ANSWERS}commands: none\n`, journal), program)
    const later = fork.run.entries.slice(fork.kept).map(({ entry }) => JSON.parse(entry.text) as EntryBody)
    expect(later.filter(({ by, to }) => by === "command" && !to.startsWith("webhook"))).toEqual([])
    expect(stateOf(fork.run, "/runner-task")).not.toBe("loaded")
  })

  test("steps are those of scenarios: commands, refusals, and things that are made anew", async () => {
    const { text, s } = await runnerAtUnit()
    const journal = journalAt(text, program, { run: 1, s })
    const steps = `
what_if: the partner gives up and books another window
names: { lunch: jqSE }
commands: none
steps:
  - { at: 11:59, do: reservation.cancel, for: lunch, with: { reason: too slow } }
  - expect: { reservation: lunch, status: canceled, canceled_by: partner }
  - { do: reservation.create, as: dinner, with: { window: [18:00, 18:30] } }
  - expect: { reservation: dinner, status: confirmed }
  - { at: +1m, refuse: { do: runner.load, for: lunch, code: INVALID_STATE } }
`
    const fork = runFork(journal, whatIf(steps, journal), program)
    expect(fork.failures).toEqual([])
    expect(new Set(fork.run.entries.map(({ entry }) => entry.group)).size).toBeGreaterThan(8)
  })

  test("an expectation that does not hold is a failure with its place", async () => {
    const { text, s } = await runnerAtUnit()
    const journal = journalAt(text, program, { run: 1, s })
    const steps =
      "what_if: x\nnames: { lunch: jqSE }\nsteps:\n  - expect: { reservation: lunch, status: canceled }\n"
    const { failures, run } = runFork(journal, whatIf(steps, journal), program)
    expect(failures).toMatchObject([{ place: { file: "what-if.yaml", line: 4 } }])
    expect(run.verdict).toBe("failed")
  })

  test("a vehicle has its own name, and a delivery goes on with commands of operations", async () => {
    const text = await recordOfScenario("direct-delivery/a-vehicle-goes-offline-with-a-run")
    const line = text.split("\n").find((one) => one.includes('"event":{"type":"vehicle.assigned"'))
    const journal = journalAt(text, program, {
      run: 1,
      s: (JSON.parse(line ?? "{}") as { readonly s: number }).s,
    })
    const [group = ""] = forkPoint(journal).groups.filter((one) => one.startsWith("delivery/"))
    const steps = `
what_if: the vehicle loads at once
names: { groceries: ${group} }
commands: none
steps:
  - { at: +1m, do: vehicle.report, for: van, with: { load: loaded } }
  - expect: { delivery: groceries, status: LOADED }
`
    const fork = runFork(journal, whatIf(steps, journal), program)
    expect(fork.failures).toEqual([])
  })

  test("a processor that works is the file's, and without it the journal's", async () => {
    const text = await recordOfScenario("courier/a-refund-that-takes-hours")
    const asked = entriesOf(text, 1).filter((s) => {
      const line = text.split("\n").find((one) => one.includes(`"s":${s},`)) ?? ""
      return line.includes('"call":"refund_payment","attempt"')
    })
    const journal = journalAt(text, program, { run: 1, s: asked[0] ?? 0 })
    const works = "what_if: the processor works\nsteps:\n  - { inject: payments.work }\n"
    const count = (fork: Fork): number =>
      fork.run.entries.filter(({ entry }) => entry.text.includes('"call":"refund_payment"')).length
    const one = runFork(journal, NOTHING, program)
    const other = runFork(journal, whatIf(works, journal), program)
    expect(count(one)).toBeGreaterThan(count(other))
  })
})

describe("what no fork can begin from is said", () => {
  const refusalOf = (text: string, moment: { readonly run: number; readonly s: number }): string => {
    try {
      journalAt(text, program, moment)
    } catch (cause) {
      if (cause instanceof UnusableJournal) return cause.message
      throw cause
    }
    return "nothing"
  }

  test("an entry that is not there, with those that are", () => {
    const text = kept("reservations")
    const entries = entriesOf(text, 1)
    expect(refusalOf(text, { run: 1, s: 9_999 })).toMatch(
      /^the run has no entry 9999: its entries are \d+ to \d+$/,
    )
    expect(refusalOf(text, { run: 1, s: 0 })).toContain("the run has no entry 0")
    expect(refusalOf(text, { run: 2, s: entries[0] ?? 0 })).toBe("there is no run 2; the file has one run")
  })

  test("a file that is no journal, and a version of a machine that the program does not have", () => {
    expect(refusalOf("hello\n", { run: 1, s: 1 })).toBe("line 1: the line is not a JSON object")
    const unknown = kept("reservations").replaceAll("reservation@1", "reservation@9")
    expect(refusalOf(unknown, { run: 1, s: 3 })).toMatch(
      /^line \d+: a machine is unknown at reservation\/.*: reservation@9; this program has reservation@1$/,
    )
  })

  test("the journal of one group", () => {
    const text = kept("runner-calls").replace('"zone":', '"groups":["runner-call/x"],"zone":')
    expect(refusalOf(text, { run: 1, s: 1 })).toContain("the header does not name")
    const alone =
      '{"k":"run","v":1,"scenario":"live","recording":"full","clock0":"2026-03-02T17:30:00.000Z","groups":["a/b"]}'
    expect(refusalOf(`${alone}\n`, { run: 1, s: 1 })).toContain("the record ends inside a run")
  })

  test("a step in the past, a name of no group, and an unknown word", async () => {
    const text = await recordOfScenario("reservations/the-open-link-fails-three-times")
    const journal = journalAt(text, program, { run: 1, s: entriesOf(text, 1).at(-5) ?? 0 })
    const steps = (step: string): string => `what_if: x\nnames: { lunch: jqSE }\nsteps:\n  - ${step}\n`
    expect(problemsOf(steps("{ at: 11:40, do: runner.load, for: lunch }"), journal)).toEqual([
      expect.stringMatching(/^11:40 has passed: the moment of the fork is not earlier than 12:0/),
    ])
    expect(problemsOf(steps("{ at: 12:40, do: runner.load, for: dinner }"), journal)).toEqual([
      'nothing is named "dinner"',
    ])
    // A mistake in the title is none of the names, and one in a name says where it is.
    const it = "- { do: runner.load, for: it }\n"
    expect(problemsOf(`what_if: ""\nnames: { it: jqSE }\nsteps:\n  ${it}`, journal)).toEqual([
      "empty text where text should be",
    ])
    expect(problemsOf(`what_if: x\nnames: { it: res_x }\nsteps:\n  ${it}`, journal)).toEqual([
      'the journal has no group "res_x" at this moment',
      'the group named "it" has a mistake, in line 2',
    ])
    const unnamed = { file: "x.yaml", text: `what_if: x\nsteps:\n  ${it}` }
    const { problems } = readWhatIf(unnamed, { names, point: forkPoint(journal) })
    expect(problems[0]).toMatchObject({
      expected: "a reservation named under names or in an earlier step: there is none",
      help: "name the group of the journal: names: { it: reservation/res_… }",
    })
    expect(problemsOf("what_if: x\nnames: { a: res_x }\nsteps: []\n", journal)).toEqual([
      'the journal has no group "res_x" at this moment',
    ])
    expect(problemsOf("what_if: x\nclock: 11:30\nsteps: []\n", journal)).toEqual(['unknown key "clock"'])
  })
})
