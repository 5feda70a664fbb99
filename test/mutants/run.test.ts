/** The search for changes that no test finds: what counts as found, and that a hung run leaves no process. */

import { existsSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { findersIn } from "./finders.ts"
import type { Failing } from "./finders.ts"
import { runInGroup } from "./process-group.ts"

/** Ends a run at the first failing file, as `--bail=1` does. */
function bailing(fails: (file: string, isOn: boolean, run: number) => boolean): Failing {
  let run = 0
  return async (files, isOn) => {
    run += 1
    return files.filter((file) => fails(file, isOn, run)).slice(0, 1)
  }
}

describe("a change is found by", () => {
  test("the file that fails with it alone", async () => {
    expect(
      await findersIn(
        ["a", "b"],
        bailing((file, isOn) => file === "b" && isOn),
      ),
    ).toEqual(["b"])
  })

  test("none when all pass", async () => {
    expect(await findersIn(["a", "b"], async () => [])).toEqual([])
  })

  test("no file that fails without it, too, and the files after that one run", async () => {
    expect(
      await findersIn(
        ["a", "b"],
        bailing((file, isOn) => file === "a" || isOn),
      ),
    ).toEqual(["b"])
    expect(
      await findersIn(
        ["a", "b"],
        bailing((file) => file === "a"),
      ),
    ).toEqual([])
  })

  test("no file that fails once", async () => {
    expect(
      await findersIn(
        ["a", "b"],
        bailing((_, __, run) => run === 1),
      ),
    ).toEqual([])
  })

  test("a run that hangs in all its files, each time that it is on", async () => {
    expect(await findersIn(["a", "b"], async (files, isOn) => (isOn ? files : []))).toEqual(["a", "b"])
  })
})

describe("a run in a group of its own", () => {
  const folder = mkdtempSync(join(tmpdir(), "curbline-group-"))
  const options = { cwd: folder, env: process.env }
  /** The program starts a fork that hears no signal but the one that kills, and writes its id. */
  const withFork = (file: string, then: string): readonly string[] => [
    "--eval",
    `const { spawn } = require("node:child_process")
     const fork = spawn(process.execPath, ["--eval", 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); process.stdout.write("1")'], { stdio: ["ignore", "pipe", "ignore"] })
     fork.stdout.once("data", () => { require("node:fs").writeFileSync(${JSON.stringify(file)}, String(fork.pid)); ${then} })`,
  ]
  const isRunning = (pid: string): boolean =>
    existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))

  test("leaves no fork of a program that ends by itself", async () => {
    const file = join(folder, "ended")
    expect(await runInGroup(process.execPath, withFork(file, "process.exit(3)"), options)).toBe(3)
    await expect.poll(() => isRunning(readFileSync(file, "utf8"))).toBe(false)
  })

  test("leaves no fork of a program whose time is over", async () => {
    const file = join(folder, "hung")
    const over = new AbortController()
    const status = runInGroup(process.execPath, withFork(file, ""), { ...options, signal: over.signal })
    await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/^\d+$/)
    over.abort()
    expect(await status).toBeNull()
    await expect.poll(() => isRunning(readFileSync(file, "utf8"))).toBe(false)
  })

  test("tells the status", async () => {
    expect(await runInGroup(process.execPath, ["--eval", "0"], options)).toBe(0)
  })
})
