/** The list of groups over rows that the tests make up: what it looks at, and which states it finds. */

import { Effect, Layer } from "effect"
import { expect, test } from "vitest"
import type { GroupAddress } from "../../../src/model/address.ts"
import type { JsonObject } from "../../../src/model/values/json.ts"
import {
  INSPECTED_ENTRIES_MAX,
  INSPECTED_GROUPS_BATCH,
  PAGE_SIZE,
  RELATED_GROUPS_MAX,
} from "../../../src/model/values/limits.ts"
import { GroupZones } from "../../../src/apps/inspector/group-zones.ts"
import { callsIn } from "../../../src/apps/inspector/pending-calls.ts"
import { Inspection } from "../../../src/apps/inspector/inspection.ts"
import type { GroupFilter, ListedGroups } from "../../../src/apps/inspector/inspection.ts"
import { RecordTexts } from "../../../src/apps/inspector/record-texts.ts"
import { InspectedGroups } from "../../../src/apps/inspector/rows.ts"
import type { InspectedGroup, JournalLine } from "../../../src/apps/inspector/rows.ts"
import { Routine } from "../../../src/engine/services/routine.ts"

const NO_FILTER: GroupFilter = {
  kind: null,
  addressPart: null,
  orderNumber: null,
  organization: null,
  word: null,
  state: null,
  includesSettled: false,
  isStuck: false,
  isLate: false,
  hasPendingCall: false,
  beforeNumber: null,
}

function groupOf(number: number, value: JsonObject | string): InspectedGroup {
  const address = `reservation/res_${number}`
  return {
    address,
    kind: "reservation",
    number,
    revision: 1,
    instantMs: 0,
    head: "",
    actors: [{ address, machine: "reservation@1", value }],
    isSettled: false,
    stoppedBecause: null,
    nextDue: null,
  }
}

const zones = Layer.succeed(GroupZones, { of: () => Routine.succeed("UTC") })

const CALL = JSON.stringify({
  to: "reservation/x",
  by: "command",
  steps: [{ a: "reservation/x", asked: [{ type: "kernel.call", call: "webhook", attempt: 1 }] }],
  refused: null,
})

/** Every third group waits for an answer. Gives the list, and the groups whose journals were read for it. */
function listed(
  groups: readonly InspectedGroup[],
  filter: Partial<GroupFilter>,
): { readonly list: ListedGroups; readonly asked: readonly GroupAddress[] } {
  const asked: GroupAddress[] = []
  const rows = Layer.succeed(InspectedGroups, {
    list: ({ beforeNumber, limit }) =>
      Routine.succeed(groups.filter(({ number }) => number < (beforeNumber ?? Infinity)).slice(0, limit)),
    calls: (addresses) =>
      Routine.sync(() => {
        asked.push(...addresses)
        return new Map(addresses.filter((_, at) => at % 3 === 0).map((address) => [address, [CALL]]))
      }),
    counts: () => Routine.succeed([]),
    states: () => Routine.succeed([]),
    owners: () => Routine.succeed(new Map()),
    related: () => Routine.succeed([]),
    groups: () => Routine.succeed([]),
    withWord: (addresses, word) =>
      Routine.succeed(new Set(addresses.filter((address) => address.endsWith(word)))),
    group: () => Routine.succeed(null),
    journal: () => Routine.succeed([]),
  })
  const texts = Layer.succeed(RecordTexts, {
    head: () => ({}),
    lines: () => "",
    writer: () => ({ begin: () => "", entries: () => "", end: () => "" }),
  })
  const looked = Effect.flatMap(Inspection, (inspection) =>
    inspection.list("sandbox", { ...NO_FILTER, ...filter }),
  )
  const over = Layer.provide(Inspection.layer, Layer.mergeAll(rows, texts, zones))
  return { list: Effect.runSync(Effect.provide(looked, over)), asked }
}

const many = Array.from({ length: INSPECTED_GROUPS_BATCH * 2 }, (_, at) => groupOf(1_000 - at, "open"))

test("journals are read for the groups of the page alone", () => {
  const { list, asked } = listed(many, {})
  expect(list.groups).toHaveLength(PAGE_SIZE)
  expect(asked).toEqual(list.groups.map(({ address }) => address))
  expect(list.groups.map(({ pending }) => pending.length).slice(0, 4)).toEqual([1, 0, 0, 1])
})

test("actors that wait for an answer are searched in every journal, and the next page begins after the last group", () => {
  const { list } = listed(many, { hasPendingCall: true })
  expect(list.groups).toHaveLength(PAGE_SIZE)
  expect(list.nextBefore).toBe(list.groups.at(-1)?.number)
  const next = listed(many, { beforeNumber: list.nextBefore })
  expect(next.list.groups[0]?.number).toBe(Number(list.nextBefore) - 1)
})

test("a word of the journal is looked for in a bounded number of groups, and the search can go on", () => {
  const { list } = listed(many, { word: "7" })
  expect(list.groups.map(({ number }) => number % 10)).toEqual(list.groups.map(() => 7))
  expect(list.groups.length).toBeGreaterThan(5)
  const next = listed(many, { word: "7", beforeNumber: list.groups[2]?.number ?? null })
  expect(next.list.groups).toEqual(list.groups.slice(3))
})

test.each([
  ["open", ["nested", "plain"]],
  ["pickup", ["nested"]],
  ["pickup.loading", ["nested"]],
  ["open.pickup", ["nested"]],
  ["loading", ["nested"]],
  ["load", []],
  ["pick", []],
])("the state %s is found wherever it stands in a path, and no part of a name", (state, names) => {
  const groups = [
    { ...groupOf(2, { open: { pickup: "loading" } }), address: "nested" },
    { ...groupOf(1, { open: "confirmed" }), address: "plain" },
  ]
  expect(listed(groups, { state }).list.groups.map(({ address }) => address)).toEqual(names)
})

/** The journal grows during the read: the group was at `revision` at its request. */
const long = { entries: 2_600, revision: 2_500 }

/** Records and parts of that group, as the revisions that they hold. */
function inspected<A, E>(effect: Effect.Effect<A, E, Inspection>, webhooks = 0): A {
  const sent = Array.from({ length: webhooks }, (_, at) => `webhook-delivery/${at}`)
  const group = { ...groupOf(1, "open"), revision: long.revision }
  const journal = Array.from({ length: long.entries }, (_, at) => ({
    revision: at + 1,
    text: "",
    hash: "",
    instantMs: 0,
  }))
  const rows = Layer.succeed(InspectedGroups, {
    list: () => Routine.succeed([]),
    counts: () => Routine.succeed([]),
    states: () => Routine.succeed([]),
    owners: () => Routine.succeed(new Map()),
    related: ({ limit }) => Routine.succeed(sent.slice(0, limit)),
    groups: (_, addresses) => Routine.succeed(addresses.map((address) => ({ ...group, address }))),
    withWord: (addresses, word) =>
      Routine.succeed(new Set(addresses.filter((address) => address.endsWith(word)))),
    calls: () => Routine.succeed(new Map()),
    group: () => Routine.succeed(group),
    journal: ({ afterRevision, limit }) =>
      Routine.succeed(journal.slice(afterRevision, afterRevision + limit)),
  })
  const revisions = (lines: readonly JournalLine[]): string =>
    lines.map(({ revision }) => `${revision}\n`).join("")
  const texts = Layer.succeed(RecordTexts, {
    head: () => ({}),
    lines: (_, lines) => revisions(lines),
    writer: () => ({ begin: () => "begin\n", entries: revisions, end: () => "end\n" }),
  })
  return Effect.runSync(
    Effect.provide(effect, Layer.provide(Inspection.layer, Layer.mergeAll(rows, texts, zones))).pipe(
      Effect.orDie,
    ),
  )
}

function countedTo(last: number): readonly string[] {
  return Array.from({ length: last }, (_, at) => String(at + 1))
}

test("a record of more entries than one piece holds has each of them once, up to where it was asked for", () => {
  const pieces = inspected(
    Effect.gen(function* () {
      const { next } = yield* (yield* Inspection).record("sandbox", "reservation/res_1")
      const written: string[] = []
      for (let piece = yield* next; piece !== null && written.length < 10; piece = yield* next)
        written.push(piece)
      return [written, yield* next] as const
    }),
  )
  const [written, after] = pieces
  expect(written.join("").trimEnd().split("\n")).toEqual(["begin", ...countedTo(long.revision), "end"])
  expect(Math.max(...written.map((piece) => piece.trimEnd().split("\n").length))).toBe(INSPECTED_ENTRIES_MAX)
  expect(after).toBeNull()
})

test("a journal that is followed part by part gives each entry once, and then nothing", () => {
  const parts = inspected(
    Effect.gen(function* () {
      const inspection = yield* Inspection
      const read: string[] = []
      let revision = 0
      for (let ask = 0; ask < 4; ask += 1) {
        const part = yield* inspection.entries("sandbox", "reservation/res_1", revision)
        read.push(part.lines)
        revision = part.revision
      }
      return { read, revision }
    }),
  )
  expect(parts.read.join("").trimEnd().split("\n")).toEqual(countedTo(long.entries))
  expect(parts.read.map((lines) => lines.split("\n").length - 1)).toEqual([1_000, 1_000, 600, 0])
  expect(parts.revision).toBe(long.entries)
})

test.each([
  [RELATED_GROUPS_MAX - 1, RELATED_GROUPS_MAX - 1, false],
  [RELATED_GROUPS_MAX, RELATED_GROUPS_MAX, true],
  [RELATED_GROUPS_MAX + 1, RELATED_GROUPS_MAX, true],
])(
  "of %i webhooks of one order %i are listed, and whether there may be more is %s",
  (webhooks, listedOf, isFull) => {
    const answered = inspected(
      Effect.flatMap(Inspection, ({ related }) => related("sandbox", "reservation/res_1")),
      webhooks,
    )
    expect([answered.groups.length, answered.is_full]).toEqual([listedOf, isFull])
  },
)

test("a group says which call failed last, until one of its calls has an answer that is no failure", () => {
  const call = (attempt: number) => entry({ asked: [{ type: "kernel.call", call: "webhook", attempt }] })
  const result = (type: string, attempt: number) =>
    entry({ by: "result", event: { type, attempt, reason: "status_503" } })
  const failed = (texts: readonly string[]) => callsIn(texts).failed
  expect(failed([call(1)])).toBeNull()
  const once = [call(1), result("call.failed", 1), call(2)]
  expect(failed(once)).toEqual({ actor: "a", call: "webhook", attempt: 1, reason: "status_503" })
  // The result of an attempt that is over says nothing.
  expect(failed([...once, result("call.succeeded", 1)])).toMatchObject({ attempt: 1 })
  expect(failed([...once, result("call.succeeded", 2)])).toBeNull()
})

function entry({ by = "message", event = {}, asked = [] as readonly object[] }): string {
  return JSON.stringify({ to: "a", by, event, steps: [{ a: "a", asked }], refused: null })
}
