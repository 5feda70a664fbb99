/** `curbline inspect` as a user runs it, `run --inspect`, and the moments that page and command line share. */

import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, describe, expect, test } from "vitest"
import { replayCommand } from "../../src/cli/file-commands.ts"
import { inspectCommand } from "../../src/cli/records/inspect.ts"
import { runCommand } from "../../src/cli/runs/run-scenarios.ts"
import { registeredMachines } from "../../src/pages/chart/registered-machine.ts"
import { UsageError } from "../../src/cli/kit/usage-error.ts"
import { ROOT, fileWith, folder } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const SCENARIO = "scenarios/reservations/the-open-link-fails-three-times.yaml"

const place = folder()
const record = join(place, "run.ndjson")
const made = await curblineHere(
  "run",
  SCENARIO,
  "scenarios/reservations/canceling-twice.yaml",
  "--record",
  record,
)
const lines = readFileSync(record, "utf8").trimEnd().split("\n")
const running: { kill: (signal: "SIGKILL") => boolean }[] = []
afterAll(() => {
  for (const child of running) child.kill("SIGKILL")
})

/** Starts a command that serves a page, and gives its address and how it ends. */
async function serving(
  ...words: readonly string[]
): Promise<{ readonly url: string; readonly stop: () => Promise<number | null> }> {
  const child = spawn(process.execPath, ["src/cli/curbline.js", ...words], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, CI: "1" },
  })
  running.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith("http://127.0.0.1:")) continue
    return {
      url: line,
      stop: async () => {
        child.kill("SIGINT")
        const [status] = (await once(child, "exit")) as [number | null]
        return status
      },
    }
  }
  throw new Error("the command ended without an address")
}

function dataIn(html: string) {
  return JSON.parse(/id="data">(.*)<\/script>\n/.exec(html)?.[1] ?? "")
}

describe("curbline inspect", () => {
  test("writes one HTML file that needs nothing else", async () => {
    expect(made.status).toBe(0)
    const page = join(place, "run.html")
    expect(await curblineHere("inspect", record, "--out", page, "--at", "2:15")).toMatchObject({
      status: 0,
      out: "",
      err: `wrote ${page}\n`,
    })
    const html = readFileSync(page, "utf8")
    expect(html).toMatch(/^<!doctype html>/)
    // The typeface is inside.
    const [before, after, ...more] = html.split(/url\("data:font\/woff2;base64,[\w+/=]+"\)/)
    expect(more).toEqual([])
    expect(`${before}${after}`).not.toMatch(/\s(?:src|href)=|@import|url\(/)
    const data = JSON.parse(/id="data">(.*)<\/script>\n/.exec(html)?.[1] ?? "")
    expect(data.runs).toHaveLength(2)
    expect(data.opensAt.run).toBe(1)
  })

  test("serves the same page on the loopback, to its own names alone, until Ctrl-C", async () => {
    const { url, stop } = await serving("inspect", record)
    const answer = await fetch(url)
    const html = await answer.text()
    const page = join(place, "again.html")
    await curblineHere("inspect", record, "--out", page)
    const [served, written] = [html, readFileSync(page, "utf8")].map(dataIn)
    const { localPaths, ...same } = served
    expect(same).toEqual(written)
    // Paths of this machine are in no file that may go to others.
    expect(readFileSync(page, "utf8")).not.toContain(ROOT)
    expect(localPaths["machines/runner-task.ts"]).toBe(join(ROOT, "machines/runner-task.ts"))
    expect(localPaths[SCENARIO]).toBe(join(ROOT, SCENARIO))
    for (const path of Object.values(localPaths)) expect(existsSync(String(path))).toBe(true)
    expect(answer.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/,
    )
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    expect((await fetch(`${url}other`)).status).toBe(404)
    // This record has several runs, so its orders cannot be asked about.
    expect(served.countsLost).toBeUndefined()
    expect((await fetch(url, { method: "POST" })).status).toBe(405)
    const { hostname, port } = new URL(url)
    const { request } = await import("node:http")
    const rebound = request({ host: hostname, port, headers: { Host: "attacker.example" } })
    rebound.end()
    const [response] = (await once(rebound, "response")) as [
      { readonly statusCode: number; resume: () => void },
    ]
    response.resume()
    expect(response.statusCode).toBe(421)
    expect(await stop()).toBe(0)
  })

  test("takes two records", async () => {
    const other = fileWith("other.ndjson", `${lines.slice(0, 30).join("\n")}\n`)
    const page = join(place, "two.html")
    expect((await curblineHere("inspect", record, other, "--out", page)).status).toBe(0)
    const data = JSON.parse(/id="data">(.*)<\/script>\n/.exec(readFileSync(page, "utf8"))?.[1] ?? "")
    expect(data.comparisons).toMatchObject([
      { first: 0, second: 2, divergence: { second: null }, names: null },
    ])
  })

  test("without a record it is a page that opens records itself, with every machine's picture", async () => {
    const page = join(place, "empty.html")
    expect(await inspectCommand([], { out: page })).toBe(0)
    const data = JSON.parse(/id="data">(.*)<\/script>\n/.exec(readFileSync(page, "utf8"))?.[1] ?? "")
    expect(data.runs).toEqual([])
    expect(data.charts).toHaveLength(registeredMachines().length)
    const refused = inspectCommand([], { out: page, at: "3" })
    await expect(refused).rejects.toThrow("no record is named")
  })

  test.each([
    ["no such file", "nowhere.ndjson", {}, "cannot be read"],
    ["no record", "package.json", {}, "does not begin with the header of a run"],
    ["no moment", record, { at: "noon" }, "a moment is a line such as 417"],
    ["no such moment", record, { at: "99999" }, "run 1 has no entry 99999; its entries are"],
    ["no such run", record, { at: "3:1" }, "the record has 2 runs, not a run 3"],
    ["no port", record, { port: "0" }, "--port takes a port"],
    ["no folder", record, { out: join(place, "nowhere", "page.html") }, "cannot be written"],
  ])("refuses %s", async (_, file, flags, message) => {
    const refused = inspectCommand([file], { out: join(place, "never.html"), ...flags })
    await expect(refused).rejects.toBeInstanceOf(UsageError)
    await expect(refused).rejects.toThrow(message)
  })
})

describe("curbline run --inspect", () => {
  test("runs, then serves the record, and ends with the run's own status", async () => {
    const { url, stop } = await serving("run", SCENARIO, "--inspect")
    expect(await (await fetch(url)).text()).toContain("The open link fails three times")
    expect(await stop()).toBe(0)
    await expect(runCommand([SCENARIO], { inspect: true, json: true })).rejects.toBeInstanceOf(UsageError)
  })

  test("says what is wrong with a scenario, and serves nothing", async () => {
    expect(await runCommand([fileWith("bad.yaml", "scenario: x")], { inspect: true })).toBe(2)
  })
})

describe("curbline replay --until", () => {
  const turn = lines.findIndex((line) => line.includes('"by":"timer"'))
  const { s, g } = JSON.parse(lines[turn] ?? "{}") as { readonly s: number; readonly g: string }

  test("verifies up to the moment, and shows what stood then", async () => {
    const { status, out } = await curblineHere("replay", record, "--until", String(s))
    expect(status).toBe(0)
    const entries = lines.slice(0, turn + 1).filter((line) => line.startsWith('{"k":"turn"')).length
    expect(out).toContain(`${entries} entries up to ${s}: the same to the byte`)
    expect(out).toContain(`${g}/open-link-1 trying.calling {"attemptsMax":3`)
    expect(out).toMatch(/armed: after window and grace of reservation\/\S+, in 31m/)
  })

  test("sees a change before the moment, and none after it", async () => {
    const changed = (at: number): string =>
      fileWith(
        "changed.ndjson",
        `${lines.map((line, number) => (number === at ? line.replace('"by":"', '"by":"x') : line)).join("\n")}\n`,
      )
    expect((await curblineHere("replay", changed(turn), "--until", String(s))).status).toBe(1)
    const later = lines.findIndex((line, at) => at > turn && line.startsWith('{"k":"turn"'))
    expect((await curblineHere("replay", changed(later), "--until", String(s))).status).toBe(0)
  })

  test.each(["noon", "99999", "9:1"])("refuses %s", async (moment) => {
    await expect(replayCommand(record, { until: moment })).rejects.toBeInstanceOf(UsageError)
  })

  test("is the same moment in the second run", async () => {
    expect(await curblineHere("replay", record, "--until", "2:15")).toMatchObject({ status: 0 })
    expect(existsSync(record)).toBe(true)
  })
})
