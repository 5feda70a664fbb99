/** With which memory settings the service runs: pools of the C library, and the heap for new objects. */

import { fork, spawnSync } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { describe, expect, test } from "vitest"
import { YOUNG_HEAP } from "../../src/cli/kit/memory-settings.ts"
import { ROOT } from "../cli/command-line.ts"

/** Written at the beginning of each program that the process becomes. */
const PRINT_BEGINNING =
  "process.stdout.write(`began ${process.pid} ${process.env.MALLOC_ARENA_MAX} ${process.execArgv.find((flag) => flag.startsWith('--max')) ?? 'default'}\\n`)"
const PRINTING = ["--import", `data:text/javascript,${encodeURIComponent(PRINT_BEGINNING)}`]

interface Beginning {
  readonly pid: string | undefined
  readonly pools: string | undefined
  /** The flag of Node for the heap of new objects. */
  readonly youngHeap: string | undefined
}

function environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...process.env, MALLOC_ARENA_MAX: undefined, GLIBC_TUNABLES: undefined, ...more }
}

function beginningsIn(output: string): readonly Beginning[] {
  const lines = output.split("\n").filter((line) => line.startsWith("began "))
  return lines.map((line) => {
    const [, pid, pools, youngHeap] = line.split(" ")
    return { pid, pools, youngHeap }
  })
}

function beginnings(command: string, env: NodeJS.ProcessEnv = {}): readonly Beginning[] {
  const { status, stdout } = spawnSync(
    process.execPath,
    [...PRINTING, "src/cli/curbline.js", command, "--help"],
    { cwd: ROOT, env: environment(env), encoding: "utf8" },
  )
  expect(status).toBe(0)
  return beginningsIn(stdout)
}

describe("the service", () => {
  test("becomes a process with two pools and a larger heap for new objects under the same process id on Linux, and stays as it is elsewhere", () => {
    const [first, ...others] = beginnings("serve")
    expect(first).toMatchObject({ pools: "undefined", youngHeap: "default" })
    const isLinux = process.platform === "linux"
    expect(others).toEqual(isLinux ? [{ pid: first?.pid, pools: "2", youngHeap: YOUNG_HEAP }] : [])
  })

  test("keeps the values that its user has set", () => {
    // Elsewhere than on Linux nothing is replaced.
    const isLinux = process.platform === "linux"
    const pools = (env: NodeJS.ProcessEnv) => beginnings("serve", env).map((one) => one.pools)
    expect(pools({ MALLOC_ARENA_MAX: "8" })).toEqual(isLinux ? ["8", "8"] : ["8"])
    expect(pools({ GLIBC_TUNABLES: "glibc.malloc.arena_max=1" })).toEqual(
      isLinux ? ["undefined", "undefined"] : ["undefined"],
    )
    const youngHeap = { NODE_OPTIONS: "--max-semi-space-size=8" }
    expect(pools(youngHeap)).toEqual(isLinux ? ["undefined", "2"] : ["undefined"])
    expect(pools({ ...youngHeap, MALLOC_ARENA_MAX: "8" })).toEqual(["8"])
  })

  test("keeps its channel to a parent process, which another program would lose", async () => {
    const child = fork("src/cli/curbline.js", ["serve", "--help"], {
      cwd: ROOT,
      env: environment({}),
      execArgv: PRINTING,
      silent: true,
    })
    const [output] = await Promise.all([child.stdout === null ? "" : text(child.stdout), once(child, "exit")])
    expect(beginningsIn(output).map(({ pools }) => pools)).toEqual(["undefined"])
  })

  test("leaves other commands as they are", () => {
    expect(beginnings("run").map(({ pools }) => pools)).toEqual(["undefined"])
  })
})
