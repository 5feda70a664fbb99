/** What is built once and kept: bundled pages and drawn charts, below `node_modules`, where nothing is committed. */

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { threadId } from "node:worker_threads"
import { digest } from "../kernel/hash.ts"

const FOLDER = fileURLToPath(new URL("../../node_modules/.cache/curbline/", import.meta.url))

export interface Kept {
  readonly kind: string
  /** All that the result depends on. */
  readonly from: string
  readonly make: () => Promise<string>
  /** Where it is kept; absent: below `node_modules`. */
  readonly folder?: string
}

type KeptName = Pick<Kept, "folder" | "from" | "kind">

/** True when the text need not be made. */
export function isKept(name: KeptName): boolean {
  return existsSync(fileOf(name))
}

/** The kept text, or a new one, which is then kept. A folder that cannot be written to costs the work each time. */
export async function kept({ make, ...name }: Kept): Promise<string> {
  const file = fileOf(name)
  const found = textIn(file)
  if (found !== null) return found
  const made = await make()
  try {
    mkdirSync(dirname(file), { recursive: true })
    // Whoever reads at the same time sees the whole text or none.
    const draft = `${file}.${process.pid}.${threadId}`
    writeFileSync(draft, made)
    renameSync(draft, file)
  } catch {
    return made
  }
  return made
}

function fileOf({ kind, from, folder = FOLDER }: KeptName): string {
  return join(folder, `${kind}-${digest(from).slice(0, 24)}`)
}

function textIn(file: string): string | null {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return null
  }
}
