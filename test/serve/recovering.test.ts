/** A service whose process was killed says while it starts again that its database is still recovering. */

import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { ROOT } from "../cli/command-line.ts"
import { until } from "../live/node/nodes.ts"
import { freePort } from "../free-port.ts"
import { SHORT_LIVED, preparedDataFolder, startProcess } from "./service-process.ts"

const data = preparedDataFolder()
const gate = join(data, "gate")
let child: ChildProcess | null = null
afterAll(() => {
  child?.kill("SIGKILL")
  rmSync(data, { recursive: true, force: true })
})

test("after SIGKILL, stderr tells the seconds so far in the log's format while the main thread is blocked", async () => {
  const killed = await startProcess(data)
  await killed.kill()
  const ports = ["--production-port", String(await freePort()), "--sandbox-port", String(await freePort())]
  const args = ["src/cli/curbline.js", "serve", "--data", data, ...ports]
  const starting = spawn(process.execPath, [...SHORT_LIVED, ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: "",
      CURBLINE_SECRET: "",
      NODE_ENV: "development",
      NODE_OPTIONS: `--import ${join(ROOT, "test/serve/slow-opening.ts")}`,
      OPENING_GATE: gate,
    },
    stdio: ["ignore", "ignore", "pipe"],
  })
  child = starting
  const exited = once(starting, "exit")
  let log = ""
  starting.stderr.setEncoding("utf8").on("data", (text: string) => (log += text))
  const said = (words: string) => until(() => log.includes(words) || starting.exitCode !== null)
  await said("still recovering")
  // Only now may the opening go on.
  expect(log).not.toContain("is open again")
  writeFileSync(gate, "")
  await said("is open again")
  starting.kill("SIGTERM")
  await exited
  const lines = log.split("\n").filter((line) => line.startsWith("{"))
  const line = lines.find((one) => one.includes("still recovering")) ?? "{}"
  expect(JSON.parse(line)).toEqual({
    level: "info",
    time: expect.any(String),
    seconds: expect.any(Number),
    msg: "the embedded database is still recovering",
  })
  expect(lines.findIndex((one) => one.includes("was not closed"))).toBeLessThan(lines.indexOf(line))
})
