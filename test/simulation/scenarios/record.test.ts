/** The run record: it replays to the byte, and nothing in it can be changed, moved, left out or made up unseen. */

import { Struct } from "effect"
import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { recordContext } from "../../../src/live/configuration/build.ts"
import type { Group } from "../../../src/engine/kernel/group.ts"
import { HeadSum, digest } from "../../../src/engine/kernel/hash.ts"
import type { EntryBody, TurnInput } from "../../../src/engine/kernel/journal.ts"
import { takeTurn } from "../../../src/engine/kernel/turn.ts"
import { groupOf } from "../../../src/model/address.ts"
import { newSecret } from "../../../src/model/ids.ts"
import { entryLine } from "../../../src/simulation/run-record.ts"
import { recordOf } from "../../../src/simulation/scenario/run.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import type { Replayed } from "../../../src/simulation/replay.ts"
import { scenario } from "../../../src/simulation/scenario/builder.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import { runAnyScenario } from "../../../src/simulation/swarm/scenario-run.ts"
import type { SimulatedService } from "../../../src/simulation/simulated-service.ts"
import { isLong } from "../../long-tests.ts"
import { cleanRuns, liveProgram, namedScenarios, runOf } from "./live-scenarios.ts"
import { lateWindows, cancelerIsNotNoted, nothingDropsTheOpenLink } from "./planted-bugs.ts"
import { randomScenario } from "./random-scenario.ts"

// Tests that try many positions take a few seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const whole = recordContext()

/** With few charts: a record is read many times here, and all charts are most of a short one. */
const context = { ...whole, charts: Struct.pick(whole.charts, "bot@1", "open-link@2") }

/** A whole visit with commands, timers, results, a refusal and a mark that fails: every kind of line. */
const visit = scenario("A visit", {
  because: "It has every kind of line.",
  clock: "2026-03-02T11:30 America/Chicago",
  given: { webhooks: [{ as: "partner", events: "all", answers: [500, 200] }] },
})
  .do("reservation.create", { as: "lunch", with: { window: ["11:45", "12:15"] } })
  .do("runner.assign", { for: "lunch" })
  .at("+1m")
  .do("runner.at_store", { for: "lunch" })
  .do("runner.order_in_hand", { for: "lunch" })
  .refuse({ do: "runner.assign", for: "lunch", code: "INVALID_STATE" })
  .do("runner.at_unit", { for: "lunch" })
  .inject("open_link.answers", { for: "lunch", with: { answers: [503, 200] } })
  .at("+1m")
  .do("bot.report", { for: "lunch", with: { status: "READY_FOR_HANDOFF" } })
  .at("+1m")
  .do("runner.load", { for: "lunch" })
  .expect({ reservation: "lunch", status: "canceled" })
  .build()

const record = recordOf(runAnyScenario(visit), context)
const lines = record.split("\n").slice(0, -1)
const kinds = lines.map((line) => (JSON.parse(line) as { readonly k: string }).k)

function replay(text: string): Replayed {
  return replayRecord(text, liveProgram)
}

function replayLines(changed: readonly string[]): Replayed {
  return replay(`${changed.join("\n")}\n`)
}

describe("a record replays to the byte", () => {
  test.each(namedScenarios)("%s", (_, one) => {
    const run = runOf(one)
    const replayed = replay(recordOf(run, context))
    expect(replayed).toEqual({
      runs: 1,
      entries: run.entries.length,
      hashes: [run.hash],
      difference: null,
      stopped: null,
    })
  })

  test("many scenarios in one file", () => {
    const runs = cleanRuns().filter((_, at) => isLong || at % 10 === 0)
    const replayed = replay(runs.map((run) => recordOf(run, whole)).join(""))
    expect(replayed.difference).toBe(null)
    expect(replayed.hashes).toEqual(runs.map(({ hash }) => hash))
  })

  test("whatever random partners do", () => {
    fc.assert(
      fc.property(randomScenario, (one) => {
        const run = runAnyScenario(one, { isTolerant: true })
        expect(replay(recordOf(run, context))).toMatchObject({ hashes: [run.hash], difference: null })
      }),
      { numRuns: isLong ? 200 : 15 },
    )
  })
})

describe("a changed byte is seen", () => {
  const positions = {
    header: linesOf("run"),
    charts: linesOf("chart"),
    entries: linesOf("turn"),
    marks: linesOf("mark"),
    end: linesOf("end"),
  }

  test.each(Object.entries(positions))("in the %s", (_, numbers) => {
    fc.assert(
      fc.property(changeIn(numbers), ({ number, column, byte }) => {
        const { difference } = replayLines(changedAt(number, column, byte))
        expect(difference, `line ${number}, column ${column}: ${byte}`).not.toBe(null)
      }),
      { numRuns: 80 },
    )
  })

  test("and in an entry it is named by the entry's line", () => {
    fc.assert(
      fc.property(changeIn(positions.entries), ({ number, column, byte }) => {
        const { difference } = replayLines(changedAt(number, column, byte))
        // Who asked is not replayed: the end line's digest covers it.
        const who = /"who":\{[^}]*\}/.exec(lines[number - 1] ?? "")
        const isOfWho = who !== null && column >= who.index && column < who.index + who[0].length
        expect(isOfWho ? [number, lines.length] : [number], `column ${column}: ${byte}`).toContain(
          difference?.line,
        )
      }),
      { numRuns: 200 },
    )
  })

  test("at every column of the header, the last entry and the end", () => {
    const unseen: string[] = []
    for (const number of [1, positions.entries.at(-1) ?? 1, lines.length]) {
      for (const [column, was] of [...(lines[number - 1] ?? "")].entries()) {
        const byte = was === "1" ? "2" : "1"
        if (replayLines(changedAt(number, column, byte)).difference === null)
          unseen.push(`${number}:${column} ${was}→${byte}`)
      }
    }
    expect(unseen).toEqual([])
  })

  test("between two lines", () => {
    for (const at of lines.keys()) {
      if (at === 0) continue
      const text = `${lines.slice(0, at).join("\n")} ${lines.slice(at).join("\n")}\n`
      expect(replay(text).difference?.line, `after line ${at}`).toBe(at)
    }
  })

  test("whatever a field of an entry holds instead, it is a difference and never a crash", () => {
    const [first = 1] = positions.entries
    const fields = [
      "to",
      "by",
      "machine",
      "start",
      "event",
      "timer",
      "facts",
      "decision",
      "decided",
      "atMs",
      "instantMs",
      "nonce",
      "cause",
      "steps",
      "refused",
    ]
    const others = [
      null,
      0,
      -1,
      "",
      "x",
      "reservation/none/at/all",
      true,
      [],
      ["reservation/none", 1, 0],
      {},
      { type: "x" },
      { type: 1 },
      { machine: "none@1" },
    ]
    for (const number of [first, ...positions.entries.slice(-6)]) {
      for (const field of fields) {
        for (const other of others) {
          const line = JSON.parse(lines[number - 1] ?? "") as { e: Record<string, unknown> }
          if (JSON.stringify(line.e[field]) === JSON.stringify(other)) continue
          const text = JSON.stringify({ ...line, e: { ...line.e, [field]: other } })
          const { difference } = replayLines(lines.with(number - 1, text))
          expect(difference?.line, `${field}: ${JSON.stringify(other)}`).toBe(number)
        }
      }
    }
  })
})

describe("a line that is gone, doubled or elsewhere is seen", () => {
  test("removed", () => {
    for (const [at] of lines.entries())
      expect(replayLines(lines.toSpliced(at, 1)).difference, `line ${at + 1}`).not.toBe(null)
  })

  test("doubled", () => {
    for (const [at, line] of lines.entries()) {
      expect(replayLines(lines.toSpliced(at, 0, line)).difference, `line ${at + 1}`).not.toBe(null)
    }
  })

  test("swapped with another", () => {
    const any = fc.nat({ max: lines.length - 1 })
    fc.assert(
      fc.property(any, any, (one, other) => {
        fc.pre(one !== other)
        const swapped = lines.with(one, lines[other] ?? "").with(other, lines[one] ?? "")
        expect(replayLines(swapped).difference).not.toBe(null)
      }),
      { numRuns: 80 },
    )
  })

  test("cut off", () => {
    for (const [at] of lines.entries()) {
      const cut = replayLines(lines.slice(0, at))
      expect(cut.difference, `after line ${at}`).not.toBe(null)
    }
    fc.assert(
      fc.property(fc.nat({ max: record.length - 2 }), (length) => {
        expect(replay(record.slice(0, length)).difference).not.toBe(null)
      }),
    )
  })

  test("a run inside another", () => {
    const { difference } = replayLines([...lines.slice(0, -1), ...lines])
    expect(difference?.line).toBe(lines.length)
  })
})

/** Records of another program that are compared; `npm run test:long` compares all that differ. */
const COMPARED = isLong ? Number.POSITIVE_INFINITY : 12

describe("a record of another program names the first entry that differs", () => {
  // Each with a text of the journals that may differ.
  test.each([
    ["the canceler is not recorded", cancelerIsNotNoted, "cancel.requested"],
    ["the clock of the window is an hour late", lateWindows(), "reservation@1"],
    ["the end of a task does not drop its open link", nothingDropsTheOpenLink, '"openLink":"calling"'],
  ] as const)("%s", (_, program, text) => {
    let compared = 0
    for (const clean of cleanRuns()) {
      const mayDiffer = isLong || clean.entries.some(({ entry }) => entry.text.includes(text))
      if (compared === COMPARED || !mayDiffer) continue
      const ours = recordOf(clean, context)
      const theirs = recordOf(runAnyScenario(clean.scenario, { program, isTolerant: true }), context)
      if (ours === theirs) continue
      const { difference } = replay(theirs)
      expect(difference?.line, clean.scenario.file).toBe(firstDifferentLine(ours, theirs))
      expect(difference?.message).toMatch(/^entry .* differs$/)
      compared += 1
    }
    expect(compared).toBeGreaterThan(0)
  })
})

describe("what no entry caused is seen, although its hash is right", () => {
  const { groups, atEnd } = takenGroups()
  const bodies = lines.flatMap((line) => {
    const { k, e } = JSON.parse(line) as { readonly k: string; readonly e: EntryBody }
    return k === "turn" ? [e] : []
  })
  const last = bodies.at(-1) as EntryBody
  const group = groups.find(({ address }) => address.startsWith("reservation/")) as Group
  const delivery = groups.find(({ address }) => address.startsWith("webhook-delivery/")) as Group
  const nonce = "0".repeat(32)
  const blank = { facts: null, decision: null, nonce, atMs: last.instantMs, instantMs: last.instantMs }
  const answer = bodies.find(({ by, to }) => by === "result" && to === delivery.address) as EntryBody

  const forgeries: readonly (readonly [string, TurnInput])[] = [
    [
      "a message that was never sent",
      {
        ...blank,
        to: `${group.address}/bot`,
        by: "message",
        event: { type: "reservation.ended" },
        cause: [group.address, 1, 0],
      },
    ],
    [
      "a message without a cause",
      {
        ...blank,
        to: `${group.address}/bot`,
        by: "message",
        event: { type: "reservation.ended" },
        cause: null,
      },
    ],
    [
      "a result without a call",
      {
        ...blank,
        to: delivery.address,
        by: "result",
        event: { type: "call.succeeded", attempt: 7 },
        cause: [delivery.address, 99, 0],
      },
    ],
    [
      "a result of another actor's call",
      {
        ...blank,
        to: `${group.address}/open-link-1`,
        by: "result",
        event: { type: "call.succeeded", attempt: 1 },
        cause: answer.cause,
      },
    ],
    [
      "a result that comes twice",
      { ...blank, to: delivery.address, by: "result", event: answer.event, cause: answer.cause },
    ],
    [
      "a result without a cause",
      {
        ...blank,
        to: delivery.address,
        by: "result",
        event: { type: "call.succeeded", attempt: 1 },
        cause: null,
      },
    ],
    [
      "a timer without its name",
      {
        ...blank,
        to: `${group.address}/bot`,
        by: "timer",
        event: { type: "reservation.ended" },
        cause: [group.address, 1, 0],
      },
    ],
  ]

  test.each(forgeries)("%s", (_, input) => {
    expect(forged(atEnd, input).line).toBe(lines.length)
  })

  describe("while a timer is armed", () => {
    // Before the bot is ready, the runner's wait and the window's end are both armed.
    const upTo = lines.findIndex((line) => line.includes('"type":"bot.ready"'))
    const before = takenGroups(upTo)
    const waiting = before.atEnd.get(group.address) as Group
    const timer = [...waiting.timers.values()].find(({ to }) => to.endsWith("/runner-task"))
    if (timer === undefined) throw new Error("no timer of the runner task is armed")
    const { id, to, event, dueMs, cause } = timer
    const fires: TurnInput = {
      ...blank,
      to,
      by: "timer",
      timer: id,
      event: { type: event },
      cause,
      atMs: dueMs,
      instantMs: dueMs,
    }

    test("a timer that fires when it is due is right", () => {
      expect(forgedAt(upTo, fires).line).not.toBe(upTo + 1)
    })

    test.each([
      ["a timer that says another due time", { ...fires, atMs: dueMs - 1000, instantMs: dueMs }],
      [
        "a timer that says another due time when it is due late",
        { ...fires, atMs: dueMs + 1, instantMs: dueMs + 1 },
      ],
      ["a timer that fires before it is due", { ...fires, instantMs: dueMs - 1000 }],
    ] as const)("%s", (_, input) => {
      expect(forgedAt(upTo, input).line).toBe(upTo + 1)
    })

    test("a result that answers another attempt than was asked for", () => {
      const at = lines.findIndex((line) => line.includes('"by":"result"'))
      const { e } = JSON.parse(lines[at] ?? "") as { readonly e: EntryBody }
      const other = { ...inputOf(e), event: { ...e.event, type: e.event?.type ?? "", attempt: 2 } }
      expect(forgedAt(at, other).line).toBe(at + 1)
    })

    function forgedAt(at: number, input: TurnInput): { readonly line: number | undefined } {
      return forged(takenGroups(at).atEnd, input, at)
    }
  })
})

describe("no record holds what is personal or secret", () => {
  const PLANTED = {
    name: "Wilhelmina Planted-Name",
    phone: "+15125559876",
    label: "PLANTED-LABEL-7",
    pickup: "PLANTED-PICKUP-REF",
    order: "PLANTED-ORDER-1187",
    link: "https://planted-host.partner.example/open/PLANTED-PATH?token=PLANTED-TOKEN",
    hook: "https://planted-hooks.partner.example/PLANTED-HOOK?token=PLANTED-TOKEN",
    moved: "https://planted-hooks.partner.example/PLANTED-MOVED",
    cancelReason: "PLANTED-CANCEL-REASON",
    botReason: "PLANTED-BOT-REASON",
    message: "PLANTED-MESSAGE",
  }
  const steps = scenario("A visit with a name", {
    because: "Records are passed on.",
    clock: "2026-03-02T11:30 America/Chicago",
  })
    .do("webhook.register", { as: "partner", with: { url: PLANTED.hook } })
    .do("reservation.create", {
      as: "lunch",
      with: {
        window: ["11:45", "12:15"],
        end_user_name: PLANTED.name,
        end_user_phone: PLANTED.phone,
        order_number: PLANTED.order,
        retailer_pickup_ref: PLANTED.pickup,
        open_link_url: PLANTED.link,
        idempotency_key: "PLANTED-KEY",
      },
    })
    .do("bot.report", { for: "lunch", with: { status: "INBOUND", label: PLANTED.label } })
    .do("exception.raise", { for: "lunch", with: { code: "stall_blocked", message: PLANTED.message } })
    .do("webhook.change", { for: "partner", with: { rotate_secret: true, url: PLANTED.moved } })
    .expect({ reservation: "lunch", bot_label: PLANTED.label })
    .expect({ exception: "stall_blocked", for: "lunch", message: PLANTED.message })
    .expect({ listed: 1, order_number: PLANTED.order })
    .do("bot.report", { for: "lunch", with: { status: "ABORTED", reason: PLANTED.botReason } })
    .do("reservation.cancel", { for: "lunch", with: { reason: PLANTED.cancelReason } })
    .refuse({
      do: "reservation.move_window",
      for: "lunch",
      with: { window: ["12:00", "12:30"] },
      code: "INVALID_STATE",
    })
    .expect({ reservation: "lunch", cancel_reason: PLANTED.cancelReason })
    .expect({ webhook: "reservation.status_changed", to: "partner", url: PLANTED.moved, within: "1m" })
  const failing = steps
    .expect({ reservation: "lunch", cancel_reason: "PLANTED-OTHER-REASON" })
    .expect({ reservation: "lunch", bot_label: "PLANTED-OTHER-LABEL" })
    .expect({ exception: "stall_blocked", for: "lunch", message: "PLANTED-OTHER-MESSAGE" })
    .expect({ listed: 3, order_number: PLANTED.order })

  test("when it passes", () => {
    const text = recordIn("passed", steps.build())
    expect(Object.entries(PLANTED).filter(([, value]) => text.includes(value))).toEqual([])
    expect(text).not.toMatch(/planted/i)
  })

  test("when an expectation of such a value fails", () => {
    const text = recordIn("failed", failing.build())
    expect(text.match(/[^"]*planted[^"]*/gi) ?? []).toEqual([])
  })

  test("nor what a secret could be made from", () => {
    let service: SimulatedService | null = null
    const run = runAnyScenario(steps.build(), { watch: (one) => ((service = one), {}) })
    const rows = JSON.stringify((service as SimulatedService | null)?.host.store.content())
    const secrets = new Set(rows.match(/whsec_[0-9a-f]+/g) ?? [])
    expect(secrets.size).toBeGreaterThan(0)
    const text = recordOf(run, context)
    expect(text).not.toContain("whsec_")
    for (const nonce of text.match(/[0-9a-f]{32}/g) ?? []) expect(secrets.has(newSecret(nonce))).toBe(false)
  })

  function recordIn(verdict: string, one: Scenario): string {
    const run = runAnyScenario(one)
    expect(run.verdict).toBe(verdict)
    return recordOf(run, context)
  }
})

/** 1-based numbers of the lines of a kind. */
function linesOf(kind: string): readonly number[] {
  return kinds.flatMap((one, at) => (one === kind ? [at + 1] : []))
}

/** Another printable byte somewhere in one of the lines. */
function changeIn(
  numbers: readonly number[],
): fc.Arbitrary<{ number: number; column: number; byte: string }> {
  return fc
    .constantFrom(...numbers)
    .chain((number) =>
      fc.record({
        number: fc.constant(number),
        column: fc.nat({ max: (lines[number - 1] ?? "").length - 1 }),
        byte: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      }),
    )
    .filter(({ number, column, byte }) => lines[number - 1]?.[column] !== byte)
}

function changedAt(number: number, column: number, byte: string): readonly string[] {
  const line = lines[number - 1] ?? ""
  return lines.with(number - 1, `${line.slice(0, column)}${byte}${line.slice(column + 1)}`)
}

function firstDifferentLine(one: string, other: string): number {
  const others = other.split("\n")
  return one.split("\n").findIndex((line, at) => line !== others[at]) + 1
}

/** The groups after the entries of the first lines. */
function takenGroups(upTo = lines.length): { groups: readonly Group[]; atEnd: ReadonlyMap<string, Group> } {
  const atEnd = new Map<string, Group>()
  for (const line of lines.slice(0, upTo)) {
    const { k, e } = JSON.parse(line) as { readonly k: string; readonly e: EntryBody }
    if (k !== "turn") continue
    const taken = takeTurn(liveProgram, atEnd.get(groupOf(e.to)) ?? null, inputOf(e))
    if (taken !== null) atEnd.set(groupOf(e.to), taken.group)
  }
  return { groups: [...atEnd.values()], atEnd }
}

/** The part of an entry that was given. */
function inputOf(body: EntryBody): TurnInput {
  const { to, by, start, event, timer, facts, decision, atMs, instantMs, nonce, cause } = body
  return {
    to,
    by,
    facts,
    decision,
    atMs,
    instantMs,
    nonce,
    cause,
    ...(start === undefined ? {} : { start }),
    ...(event === undefined ? {} : { event }),
    ...(timer === undefined ? {} : { timer }),
  }
}

/** The result of the replay of a record whose last entry is forged: chained, counted and digested like a real one. */
function forged(
  groups: ReadonlyMap<string, Group>,
  input: TurnInput,
  at = lines.length - 1,
): { readonly line: number | undefined; readonly message: string | undefined } {
  // The engine refuses a timer that is not armed; a forger would not name one.
  const taken = takeTurn(liveProgram, groups.get(groupOf(input.to)) ?? null, input)
  if (taken?.entry === null || taken === null) throw new Error("the forged turn is not taken")
  const kept = lines.slice(0, at)
  const { clock0 } = JSON.parse(lines[0] ?? "") as { readonly clock0: string }
  kept.push(entryLine(taken.entry, { s: kept.length, t: taken.instantMs - Date.parse(clock0) }))
  const sum = new HeadSum()
  for (const group of new Map(groups).set(taken.group.address, taken.group).values())
    sum.add(group.address, group.head)
  const end = {
    ...(JSON.parse(lines.at(-1) ?? "") as object),
    s: kept.length,
    entries: kept.filter((line) => line.startsWith('{"k":"turn"')).length,
    hash: sum.total(),
    digest: digest(kept.join("\n")),
  }
  const { difference } = replayLines([...kept, JSON.stringify(end)])
  return { line: difference?.line, message: difference?.message }
}
