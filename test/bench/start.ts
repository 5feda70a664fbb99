/**
 * From `curbline serve` to its first answer, as a user waits for it: another process, the embedded database, the first
 * start with demo data and then later ones over the same folder. `npm run bench -- start`. Wanted: under 10 s at the
 * first start, under 3 s later. It says what it found and fails only when a start fails.
 */

import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { ROOT } from "../cli/command-line.ts"
import { freePort } from "../free-port.ts"
import { printMachine } from "./machine-line.ts"

const LATER_STARTS = 5
const ASK_AGAIN_MS = 5

const data = join(mkdtempSync(join(tmpdir(), "curbline-bench-")), "data")
const ports = [await freePort(), await freePort()] as const
const url = `http://127.0.0.1:${ports[1]}/readyz`

printMachine()
console.log("")
const first = await start()
say("first start", "10 s", first)
const later: Started[] = []
for (let count = 0; count < LATER_STARTS; count += 1) {
  const started = await start()
  later.push(started)
  say("later start", "3 s", started)
}
const sorted = later.map(({ answerMs }) => answerMs).toSorted((a, b) => a - b)
console.log(`\nlater starts, median: ${seconds(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN)}`)
rmSync(join(data, ".."), { recursive: true, force: true })

interface Started {
  /** Time until `/readyz` answered 200. */
  readonly answerMs: number
  /** Until the greeting's last line. */
  readonly greetingMs: number
  /** From SIGTERM to the end of the process. */
  readonly stopMs: number
}

async function start(): Promise<Started> {
  const beganMs = performance.now()
  const words = [
    "serve",
    "--data",
    data,
    "--production-port",
    String(ports[0]),
    "--sandbox-port",
    String(ports[1]),
  ]
  const child = spawn(process.execPath, ["src/cli/curbline.js", ...words], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: "", CURBLINE_SECRET: "", CURBLINE_LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const exit = once(child, "exit")
  const greeting = greeted(child).then(() => performance.now() - beganMs)
  const answerMs = await Promise.race([answered().then(() => performance.now() - beganMs), failed(exit)])
  const greetingMs = await Promise.race([greeting, failed(exit)])
  const stoppingMs = performance.now()
  child.kill("SIGTERM")
  await exit
  return { answerMs, greetingMs, stopMs: performance.now() - stoppingMs }
}

async function greeted({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error("the service has no output")
  for await (const line of createInterface({ input: stdout }))
    if (line.startsWith("The API's document")) return
}

async function answered(): Promise<void> {
  for (;;) {
    const status = await fetch(url).then(
      (response) => response.status,
      () => 0,
    )
    if (status === 200) return
    await new Promise((resolve) => {
      setTimeout(resolve, ASK_AGAIN_MS)
    })
  }
}

async function failed(exit: Promise<unknown>): Promise<never> {
  await exit
  throw new Error("the service ended instead of starting")
}

function say(what: string, wanted: string, { answerMs, greetingMs, stopMs }: Started): void {
  console.log(
    `${what}: ready after ${seconds(answerMs)} (wanted: under ${wanted}), greeting after ${seconds(greetingMs)}, ` +
      `stopped within ${seconds(stopMs)}`,
  )
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
