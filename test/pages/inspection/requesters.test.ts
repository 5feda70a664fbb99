/** Who asked, in a run of the simulator: beside the hashed text, drawn from the seed, and covered by the record's digest. */

import { expect, test } from "vitest"
import { program } from "../../../src/apps/composition/program.ts"
import { requesterIn } from "../../../src/pages/inspection/recorded-entry.ts"
import { endLine, entryLine } from "../../../src/simulation/run-record.ts"
import { recordOf } from "../../../src/simulation/scenario/run.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { recordContext } from "../../../src/live/configuration/build.ts"
import { recorded, scenarioNamed } from "./records.ts"

const scenario = await scenarioNamed("reservations/the-open-link-fails-three-times")
const run = runScenario(scenario)
const { text, rows } = recorded(run)
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test("every command from outside has a requester, and no other entry has one", () => {
  const entries = run.entries.map(({ entry }) => {
    const { by, cause } = JSON.parse(entry.text) as { by: string; cause: unknown }
    return { isAsked: by === "command" && cause === null, entry }
  })
  const asked = entries.filter(({ isAsked }) => isAsked)
  expect(asked.length).toBeGreaterThan(4)
  for (const { entry, isAsked } of entries) expect(entry.requester !== undefined, entry.text).toBe(isAsked)
  const [first, ...others] = asked.map(({ entry }) => entry.requester)
  expect(first).toEqual({ request: expect.stringMatching(UUID) as string, type: "key", id: "key_1" })
  expect(others.map((one) => one?.type)).toContain("phone")
  expect(new Set(asked.map(({ entry }) => entry.requester?.request)).size).toBe(asked.length)
})

test("the same seed gives the same requests, and the hashed text does not have them", () => {
  expect(recorded(runScenario(scenario)).text).toBe(text)
  for (const { entry } of run.entries)
    if (entry.requester !== undefined) expect(entry.text).not.toContain(entry.requester.request)
})

test("a record replays with its requesters, and as older programs wrote it, to the same hash", () => {
  expect(replayRecord(text, program)).toMatchObject({ difference: null, hashes: [run.hash] })
  const older = {
    ...run,
    entries: run.entries.map(({ entry: { requester: _, ...entry }, ...at }) => ({ entry, ...at })),
  }
  const olderText = recordOf(older, recordContext())
  expect(olderText).not.toContain('"who"')
  expect(replayRecord(olderText, program)).toMatchObject({ difference: null, hashes: [run.hash] })
  expect(requesterIn(olderText.split("\n")[40] ?? "{}")).toBeNull()
})

test("a changed requester is found by the digest of the record", () => {
  const line = rows.find((row) => requesterIn(row) !== null) ?? ""
  const changed = text.replace(line, line.replace('"id":"key_1"', '"id":"key_other"'))
  expect(changed).not.toBe(text)
  expect(replayRecord(changed, program).difference?.message).toBe(
    "a line of this run that is no entry was changed, added or removed",
  )
})

test("a malformed requester of a record is none", () => {
  for (const who of ["null", "[]", '"key"', '{"type":"key"}', '{"request":"1","type":"spy","id":"1"}'])
    expect(requesterIn(`{"k":"turn","who":${who}}`)).toBeNull()
  const entry = { group: "a/1", revision: 1, text: "{}", hash: "" }
  const who = { request: "1", type: "page", id: null } as const
  expect(requesterIn(entryLine({ ...entry, requester: who }, { s: 1, t: 0 }))).toEqual(who)
  expect(endLine([], { t: 0, verdict: null, entries: 0, hash: "" })).toContain('"k":"end"')
})
