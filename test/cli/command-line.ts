/** Runs the command as a user does: another process, from the checkout's folder. */

import { spawnSync } from "node:child_process"
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
  const { status, stdout, stderr } = spawnSync(process.execPath, ["src/cli/curbline.js", ...words], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", ...env },
  })
  return { status, out: stdout, err: stderr }
}

/** A folder of its own for a test's files. */
export function folder(): string {
  return mkdtempSync(join(tmpdir(), "curbline-"))
}

/** Writes a file into a folder of its own and returns its path. */
export function fileWith(name: string, text: string): string {
  const path = join(folder(), name)
  writeFileSync(path, text)
  return path
}
