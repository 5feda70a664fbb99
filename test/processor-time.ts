/**
 * Notes for each test file how much processor time its tests took, in milliseconds, in the file's `meta`: of this process and of
 * those that it started. Linux only; elsewhere this process alone counts. `costs.ts` adds the notes up.
 */

import { readFileSync, readdirSync } from "node:fs"
import { afterAll } from "vitest"

declare module "vitest" {
  interface TaskMeta {
    /** Milliseconds of processor time. */
    processorMs?: number
  }
}

const MS_PER_TICK = 10

const atStart = spentMs()

// The first hook to be set is the last to run, after the file has stopped what it started.
// oxlint-disable-next-line no-empty-pattern -- Vitest reads the pattern to learn which fixtures are wanted.
afterAll(({}, suite) => {
  suite.meta.processorMs = Math.round(spentMs() - atStart)
})

/** Of this process, its ended children and theirs, and its living descendants. */
function spentMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + ticks() * MS_PER_TICK
}

function ticks(): number {
  if (process.platform !== "linux") return 0
  const stats = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => statOf(name)),
  )
  const children = Map.groupBy(stats, ([, { parent }]) => parent)
  const below = (pid: number): number =>
    (children.get(pid) ?? []).reduce((sum, [child, stat]) => sum + stat.own + stat.ended + below(child), 0)
  return (stats.get(process.pid)?.ended ?? 0) + below(process.pid)
}

/** Nothing for a process that has just ended. */
function statOf(
  name: string,
): [number, { readonly parent: number; readonly own: number; readonly ended: number }][] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, "utf8")
    // The name of the program, in parentheses, may hold spaces.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number)
    const [parent = 0] = fields.slice(1, 2)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    return [[Number(name), { parent, own: user + system, ended: endedUser + endedSystem }]]
  } catch {
    return []
  }
}
