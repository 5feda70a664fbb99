/** Runs the command as a user does: another process, from the checkout's folder. */

import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const ROOT = fileURLToPath(new URL("../../", import.meta.url))

export interface Ended {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

export function curbline(...words: readonly string[]): Ended {
  return curblineWith({}, ...words)
}

/** The same with more in its environment. */
export function curblineWith(env: NodeJS.ProcessEnv, ...words: readonly string[]): Ended {
  return runIn({ cwd: ROOT, env }, words)
}

/** The same in another folder. */
export function curblineIn(cwd: string, ...words: readonly string[]): Ended {
  return runIn({ cwd, env: {} }, words)
}

function runIn(
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  words: readonly string[],
): Ended {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    // The embedded database is compiled once, fast: a command ends before the second compilation pays.
    ["--liftoff-only", join(ROOT, "src/cli/curbline.js"), ...words],
    {
      cwd,
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1", ...env },
    },
  )
  return { status, out: stdout, err: stderr }
}

/** A folder of its own for a test's files. */
export function folder(): string {
  return mkdtempSync(join(tmpdir(), "curbline-"))
}

/** Writes a file into a folder of its own and returns its path. */
export function fileWith(name: string, text: string | Uint8Array): string {
  const path = join(folder(), name)
  writeFileSync(path, text)
  return path
}

export interface Running {
  readonly ended: Promise<Ended>
  /** Resolves once it has written this to stderr. */
  readonly says: (text: string) => Promise<void>
  readonly signal: (signal: NodeJS.Signals) => void
}

/** Starts a file of the checkout and goes on beside it; `curbline` itself unless another is named. */
export function running(
  words: readonly string[],
  file = "src/cli/curbline.js",
  env: NodeJS.ProcessEnv = {},
): Running {
  const child = spawn(process.execPath, [file, ...words], {
    cwd: ROOT,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let [out, error] = ["", ""]
  const looks: (() => void)[] = []
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    error += text
    for (const look of looks) look()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (status) => resolve({ status, out, err: error }))
  })
  return {
    ended,
    signal: (signal) => void child.kill(signal),
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => (error.includes(text) ? resolve() : undefined)
        looks.push(look)
        look()
        void ended.then(() => reject(new Error(`it ended and never said "${text}":\n${error}`)))
      }),
  }
}
