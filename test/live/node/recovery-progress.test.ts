/** Reports of a long replay, written while the main thread is blocked. */

import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { reportRecovery } from "../../../src/live/start/recovery-progress.ts"
import { makeServiceLog } from "../../../src/live/observation/service-log.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "curbline-recovery-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const LOOKS_MAX = 3_000

/** Blocks this thread, like a replay, until this many lines were written; gives up after half a minute. */
function blockedUntil(path: string, count: number): readonly string[] {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  const linesIn = (): readonly string[] => readFileSync(path, "utf8").split("\n").slice(0, -1)
  for (let looks = 0; looks < LOOKS_MAX && linesIn().length < count; looks += 1) Atomics.wait(pause, 0, 0, 10)
  return linesIn()
}

/** The same line with other times. */
const withoutTimes = (line: string): string =>
  line.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, "TIME").replace(/(seconds\W+)\d+/, "$1N")

test.each(["json", "logfmt"] as const)(
  "%s: lines come while the main thread is blocked, as the service's log writes them",
  async (format) => {
    const path = join(folder, "log")
    const file = openSync(path, "a")
    const end = reportRecovery({ format, level: "info", file, firstMs: 20, nextMs: 10 })
    const lines = blockedUntil(path, 3)
    await end()
    closeSync(file)
    const logged: string[] = []
    const log = makeServiceLog({ level: "info", format, write: (line) => void logged.push(line.trimEnd()) })
    log.info({ seconds: 1 }, "the embedded database is still recovering")
    expect(lines.length).toBeGreaterThan(2)
    expect(new Set(lines.map(withoutTimes))).toEqual(new Set(logged.map(withoutTimes)))
  },
)

test("an end before the first line is due leaves the log empty", async () => {
  const path = join(folder, "log")
  const file = openSync(path, "a")
  await reportRecovery({ format: "json", level: "info", file, firstMs: 600_000, nextMs: 600_000 })()
  closeSync(file)
  expect(readFileSync(path, "utf8")).toBe("")
})

test("a log that takes only warnings gets no line", async () => {
  const path = join(folder, "log")
  const file = openSync(path, "a")
  const end = reportRecovery({ format: "json", level: "warn", file, firstMs: 0, nextMs: 600_000 })
  const other = reportRecovery({ format: "json", level: "info", file, firstMs: 0, nextMs: 600_000 })
  expect(blockedUntil(path, 1)).toHaveLength(1)
  await Promise.all([end(), other()])
  closeSync(file)
  expect(readFileSync(path, "utf8").match(/recovering/g)).toHaveLength(1)
})
