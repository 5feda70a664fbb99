/** `curbline mcp`: what a coding agent can do in a folder of scenarios, models and records. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { curblineIn, folder } from "./command-line.ts"
import { startCodingAgent } from "./mcp-client.ts"
import type { CodingAgent } from "./mcp-client.ts"

const LATE = `scenario: The bot is late
because: The runner waits.
seed: 7
clock: 2026-03-02T11:30 America/Chicago
given: { site: domain-north }
steps:
  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
  - { at: 11:40, do: runner.assign, for: lunch }
  - { at: 11:46, do: runner.at_store, for: lunch }
  - expect: { reservation: lunch, handoff: AT_STORE }
`

const READING = [
  "list_files",
  "check_file",
  "run_scenario",
  "explain_scenario",
  "run_fleet",
  "explain_word",
  "explain_group",
  "why",
  "list_places",
  "read_reservation",
  "search_events",
  "read_clock",
  "list_failures",
]

const home = folder()
const file = join(home, "visits", "late.yaml")
let agent: CodingAgent

beforeAll(async () => {
  mkdirSync(join(home, "visits"))
  writeFileSync(file, LATE)
  agent = await startCodingAgent({ words: [home] })
})
afterAll(() => agent.client.close())

test("only reading tools are offered, and those that change the sandbox say what their key needs", async () => {
  const { tools } = await agent.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(READING)
  for (const { annotations, description = "" } of tools) {
    expect(annotations?.readOnlyHint).toBe(true)
    expect(description).toMatch(/\.$/)
  }
  await expect(agent.call("create_reservation")).rejects.toThrow("Unknown tool: create_reservation")

  const writing = await startCodingAgent({ words: [home, "--allow-writes"] })
  const all = (await writing.client.listTools()).tools
  const changing = all.filter(({ annotations }) => annotations?.readOnlyHint === false)
  expect(all.slice(0, READING.length).map(({ name }) => name)).toEqual(READING)
  expect(
    changing.map(({ name, description = "" }) => `${name} ${/its key needs `(.*)`/.exec(description)?.[1]}`),
  ).toEqual([
    "create_reservation reservations:write",
    "advance reservations:write",
    "move_clock sandbox:manage",
    "fail sandbox:manage",
  ])
  await writing.client.close()
})

test("an agent of revision 2026-07-28 gets the same", async () => {
  const modern = await startCodingAgent({ words: [home], mode: { pin: "2026-07-28" } })
  expect((await modern.client.listTools()).tools.map(({ name }) => name)).toEqual(READING)
  expect(await modern.call("check_file", { path: "visits/late.yaml" })).toBe(
    "1 scenario in 1 file, no problem",
  )
  await modern.client.close()
})

describe("a change of a scenario", () => {
  test("begins with the words and the files", async () => {
    expect(await agent.call("list_files")).toBe("visits/late.yaml")
    expect(await agent.call("explain_word", { word: "runner.hold" })).toContain("ready_at")
    expect(await agent.call("explain_scenario", { path: "visits/late.yaml" })).toContain(
      "a runner takes lunch",
    )
  })

  test("a mistake has its line; a failed expectation is an answer, with its causes up to the command", async () => {
    writeFileSync(file, LATE.replace("runner.at_store", "runner.at_stor"))
    expect(await agent.call("check_file", { path: "visits/late.yaml" })).toMatch(
      /^FAILED: .*did you mean "runner\.at_store"[^]*late\.yaml:9:/,
    )
    writeFileSync(file, LATE.replace("handoff: AT_STORE", "handoff: AT_UNIT"))
    expect(await agent.call("run_scenario", { path: "visits/late.yaml" })).toMatch(/^✗[^]*AT_STORE/)
    const why = await agent.call("why", { record: "visits/late.yaml" })
    expect(why).toMatch(
      /: command runner\.at_store → [^\n]*\n\d+ 2026-03-02T17:46:00\.000Z fail: expect reservation$/,
    )
    writeFileSync(file, LATE)
    expect(await agent.call("run_scenario", { path: "visits/late.yaml" })).toMatch(/1 passed, 0 failed$/)
    // The visit was given up later: that is what an engineer would ask about.
    expect(await agent.call("why", { record: "visits/late.yaml" })).toMatch(
      /timer after end of the window → runner-task failed$/,
    )
    writeFileSync(
      file,
      LATE.replaceAll(/ {2}- \{ at.*\n/g, "").replace("handoff: AT_STORE", "status: confirmed"),
    )
    expect(await agent.call("why", { record: "visits/late.yaml" })).toMatch(/^FAILED: nothing failed/)
    writeFileSync(file, LATE)
  })

  test("a record names its groups, and each tells what it did, entry by entry", async () => {
    const { status } = curblineIn(home, "run", "visits/late.yaml", "--record", "late.ndjson")
    expect(status).toBe(0)
    for (const record of ["late.ndjson", "visits/late.yaml"]) {
      expect(await agent.call("explain_group", { record })).toMatch(/^reservation\/res_\w+: \d+ entries$/m)
      const group = await agent.call("explain_group", { record, group: "reservation" })
      const entry = Number(/^(\d+) .*command runner\.at_store/m.exec(group)?.[1])
      expect(await agent.call("why", { record, entry })).toBe(
        `${entry} 2026-03-02T17:46:00.000Z ${/^reservation\S+/.exec(group)?.[0]}: command runner.at_store → runner-task open.at_store`,
      )
    }
    const reference = { record: "late.ndjson" }
    expect(await agent.call("explain_group", { ...reference, group: "delivery" })).toContain("has no group")
    expect(await agent.call("explain_group", { ...reference, run: 2 })).toBe("FAILED: the record has 1 runs")
    expect(await agent.call("why", { ...reference, entry: 9_999 })).toBe("FAILED: there is no entry 9999")
  })
})

test("nothing outside of the folder is read, and no path is a flag", async () => {
  symlinkSync("/etc", join(home, "out"))
  for (const path of ["../late.yaml", "/etc/hostname", "out/hostname"])
    expect(await agent.call("check_file", { path })).toMatch(
      /^FAILED: .*(?:is not below the folder|there is no file)/,
    )
  mkdirSync(join(home, "programs"))
  writeFileSync(join(home, "programs", "x.scenario.ts"), "process.exit(0)")
  for (const path of ["programs", "programs/x.scenario.ts"])
    for (const name of ["check_file", "run_scenario", "explain_scenario"])
      expect(await agent.call(name, { path })).toMatch(/^FAILED: .*x\.scenario\.ts is a program/)
  expect(await agent.call("why", { record: "programs/x.scenario.ts" })).toMatch(/^FAILED: .*is a program/)
  writeFileSync(join(home, "--version"), LATE)
  expect(await agent.call("explain_scenario", { path: "--version" })).not.toMatch(/^curbline \d/)
  expect(await agent.call("run_scenario", {})).toBe("FAILED: the arguments do not fit: path: is missing")
  expect(await agent.call("run_scenario", { path: "visits/late.yaml", seed: "x --record=y" })).toMatch(
    /^FAILED: /,
  )
})

test("a sandbox without a key is named in words", async () => {
  expect(await agent.call("search_events")).toMatch(/^FAILED: there is no API key/)
})
