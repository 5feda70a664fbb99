/** Runs a program in a group of processes of its own, which ends as a whole. */

import { spawn } from "node:child_process"
import { once } from "node:events"

export interface GroupRun {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Ends the run when it aborts. */
  readonly signal?: AbortSignal
}

const STOPS = ["SIGINT", "SIGTERM"] as const

/**
 * The exit status; null when it was killed. What the program has started and left is killed too: a fork in an
 * endless loop hears nothing of the end of its parent.
 */
export async function runInGroup(
  program: string,
  words: readonly string[],
  { cwd, env, signal }: GroupRun,
): Promise<number | null> {
  const child = spawn(program, words, { cwd, env, stdio: "ignore", detached: true })
  const kill = (): void => killGroup(child.pid)
  // A terminal interrupts its own group alone.
  const stop = (): never => {
    kill()
    process.exit(1)
  }
  for (const name of STOPS) process.once(name, stop)
  signal?.addEventListener("abort", kill)
  try {
    const [status] = (await once(child, "exit")) as [number | null]
    return status
  } finally {
    signal?.removeEventListener("abort", kill)
    for (const name of STOPS) process.off(name, stop)
    kill()
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch (cause) {
    // Nothing of the group is left.
    if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause
  }
}
