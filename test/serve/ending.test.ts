/** How the service ends: without a reader of its log, and when its start fails half-way. */

import { spawn } from "node:child_process"
import type { ChildProcessByStdio } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import postgres from "postgres"
import { describe, expect, test } from "vitest"
import { ROOT, curblineWith } from "../cli/command-line.ts"
import { startPostgres } from "../engine/store/postgres-server.ts"
import { endsWithShell } from "../../src/cli/kit/npm-shell.ts"
import { freePort } from "../free-port.ts"
import { SHORT_LIVED, dataFolder, preparedDataFolder, startProcess } from "./service-process.ts"

const SECRET = "a secret of the tests, long enough to be taken"

/** Pipes of its own, so that a test can close them; resolves when the greeting has ended. */
async function startPiped(data: string): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  const ports = [await freePort(), await freePort()].map(String)
  const words = ["--data", data, "--production-port", ports[0] ?? "", "--sandbox-port", ports[1] ?? ""]
  const child = spawn(process.execPath, [...SHORT_LIVED, "src/cli/curbline.js", "serve", ...words], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: "", CURBLINE_SECRET: "" },
    stdio: ["ignore", "pipe", "pipe"],
  })
  child.stderr.resume()
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith("The API's document")) return child
  throw new Error("it ended before it said that it was up")
}

describe("a service whose log has lost its reader", () => {
  const data = preparedDataFolder()

  test("stops when it is told to, and the reader goes meanwhile", async () => {
    const child = await startPiped(data)
    const exited = once(child, "exit")
    child.kill("SIGTERM")
    child.stdout.destroy()
    child.stderr.destroy()
    expect(await exited).toEqual([0, null])
  })

  test("goes on, and stops when it is told to", async () => {
    const child = await startPiped(data)
    const exited = once(child, "exit")
    child.stdout.destroy()
    child.stderr.destroy()
    const { base_urls: urls } = JSON.parse(readFileSync(join(data, "service.json"), "utf8")) as {
      readonly base_urls: { readonly sandbox: string }
    }
    // Each of these writes a line to the log.
    for (let asked = 0; asked < 3; asked += 1)
      expect((await fetch(`${urls.sandbox}/rs/v1/retailers`)).status).toBe(401)
    child.kill("SIGTERM")
    expect(await exited).toEqual([0, null])
  })

  test.each([
    ["that is no JSON", "{"],
    ["of another shape", `{"sandbox":{}}`],
  ])("a damaged demo.json, one %s, costs the greeting its examples and nothing else", async (_, text) => {
    const file = join(data, "demo.json")
    const whole = readFileSync(file, "utf8")
    writeFileSync(file, text)
    const child = await startPiped(data)
    const exited = once(child, "exit")
    child.kill("SIGTERM")
    expect(await exited).toEqual([0, null])
    expect(readFileSync(file, "utf8")).toBe(text)
    writeFileSync(file, whole)
  })
})

describe("the note of a running service, service.json", () => {
  const data = preparedDataFolder()
  const note = join(data, "service.json")

  test("that cannot be removed does not keep the service from stopping in order", async () => {
    const child = await startPiped(data)
    const exited = once(child, "exit")
    rmSync(note)
    mkdirSync(join(note, "of-another"), { recursive: true })
    child.kill("SIGTERM")
    expect(await exited).toEqual([0, null])
  })

  test("that cannot be written ends the start with one line and status 2", async () => {
    const ports = [await freePort(), await freePort()].map(String)
    const serving = [
      "serve",
      "--data",
      data,
      "--production-port",
      ports[0] ?? "",
      "--sandbox-port",
      ports[1] ?? "",
    ]
    const failed = curblineWith({ DATABASE_URL: "", CURBLINE_SECRET: "" }, ...serving)
    expect([failed.status, failed.err]).toEqual([
      2,
      expect.stringMatching(/^error: the folder .* cannot be used: EISDIR: .*\. Name another --data$/m),
    ])
    expect(readdirSync(data).filter((name) => name.startsWith("service.json"))).toEqual(["service.json"])
    rmSync(note, { recursive: true })
  })

  test("that a killed service of another user has left is replaced", async () => {
    writeFileSync(note, JSON.stringify({ pid: 999_999_999 }))
    const before = statSync(note).ino
    const child = await startPiped(data)
    const exited = once(child, "exit")
    expect(statSync(note).ino).not.toBe(before)
    child.kill("SIGTERM")
    expect(await exited).toEqual([0, null])
    expect(existsSync(note)).toBe(false)
  })
})

describe("a service that npm started", () => {
  const npxEnv = { ...process.env, DATABASE_URL: "", CURBLINE_SECRET: "" }

  /** As the README starts it; the group of processes is its own, so that a failed test leaves none. */
  async function startByNpx(script: readonly string[]) {
    const child = spawn("npx", ["--no-install", ...script], {
      cwd: ROOT,
      env: npxEnv,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    })
    let log = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text
    })
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith("The API's document")) return { child, log: () => log }
    }
    throw new Error(`it ended before it said that it was up: ${log}`)
  }

  const serving = async (data: string): Promise<readonly string[]> => {
    const [production, sandbox] = [await freePort(), await freePort()].map(String)
    const ports = ["--production-port", production ?? "", "--sandbox-port", sandbox ?? ""]
    return ["curbline", "serve", "--data", data, ...ports]
  }

  const pidIn = (data: string): number =>
    (JSON.parse(readFileSync(join(data, "service.json"), "utf8")) as { readonly pid: number }).pid

  const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}/cmdline`)

  test("stops in order at a signal to npm, which passes it to its shell alone", async () => {
    const data = preparedDataFolder()
    const { child, log } = await startByNpx(await serving(data))
    const pid = pidIn(data)
    try {
      // The output is open as long as the service is.
      const closed = once(child.stderr, "close")
      child.kill("SIGTERM")
      await closed
      expect(log()).toContain('"msg":"stopped"')
      expect(existsSync(join(data, "service.json"))).toBe(false)
    } finally {
      if (isRunning(pid)) process.kill(pid, "SIGKILL")
    }
  })

  test("goes on without its shell when its script has put it in the background", async () => {
    const data = preparedDataFolder()
    const [, ...words] = await serving(data)
    const { child, log } = await startByNpx(["-c", `node src/cli/curbline.js ${words.join(" ")} & wait`])
    const pid = pidIn(data)
    const closed = once(child.stderr, "close")
    try {
      const exited = once(child, "exit")
      child.kill("SIGTERM")
      await exited
      expect(isRunning(pid)).toBe(true)
      expect(log()).not.toContain("stopping")
    } finally {
      process.kill(pid, "SIGTERM")
      await closed
    }
    expect(log()).toContain('"signal":"SIGTERM"')
  })

  test.each([
    [undefined, false],
    ["'curbline'", true],
    ["node src/cli/curbline.js serve", true],
    ["curbline serve 2>&1 | tee log", true],
    ["make demo && curbline serve", true],
    ["nohup curbline serve", false],
    ["curbline serve &", false],
    ["curbline serve > log 2>&1 & sleep 5", false],
    ["setsid curbline serve", false],
    ["sh deploy.sh", false],
  ])("by the script %s ends with its shell: %s", (script, isWatched) => {
    expect(endsWithShell({ npm_lifecycle_script: script })).toBe(isWatched)
  })
})

describe("demo data on PostgreSQL", () => {
  test("make their folder; where the file cannot be written, no key is left behind", async () => {
    const server = await startPostgres()
    const sql = postgres(server.url, { onnotice: () => undefined })
    const env = { DATABASE_URL: server.url, CURBLINE_SECRET: SECRET }
    try {
      const top = dataFolder()
      // A file where the folder should be: it cannot be made.
      writeFileSync(join(top, "file"), "")
      const failed = curblineWith(env, "serve", "--demo", "--data", join(top, "file", "data"))
      expect([failed.status, failed.err.trim().split("\n").at(-1)]).toEqual([
        1,
        expect.stringMatching(/^error: the demo's keys cannot be written to .*file\/data\/demo\.json: /),
      ])
      const good = async (table: string): Promise<number> => {
        const [row] = await sql`select count(*)::int as n from ${sql(table)} where revoked_at_ms is null`
        return row?.["n"] as number
      }
      expect([await good("api_keys"), await good("operator_tokens")]).toEqual([0, 0])

      const service = await startProcess(join(top, "new", "data"), undefined, { words: ["--demo"], env })
      expect(service.access.sandbox.api_key).toMatch(/^ck_sbx_/)
      expect([await good("api_keys"), await good("operator_tokens")]).toEqual([2, 2])
      expect(await service.stop()).toBe(0)
      expect(readdirSync(join(top, "new", "data"))).toContain("demo.json")
      expect(existsSync(join(top, "new", "data", "database"))).toBe(false)
    } finally {
      await sql.end()
      await server.stop()
    }
  })
})
