/**
 * What is built once and kept: bundled pages and drawn charts. `npm run build:pages` makes them all beforehand, in
 * `src/pages/built`; what is not there is made when it is needed and kept below `node_modules`. Nothing built is committed.
 */

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { threadId } from "node:worker_threads"
import { digest } from "../kernel/hash.ts"

/** What a package brings along. */
export const BUILT = fileURLToPath(new URL("built/", import.meta.url))
const FOLDER = fileURLToPath(new URL("../../node_modules/.cache/curbline/", import.meta.url))

export interface Kept {
  readonly kind: string
  /** All that the result depends on. */
  readonly from: string
  readonly make: () => Promise<string>
  /** Where it is kept, and looked for; absent: below `node_modules`, after what was built beforehand. */
  readonly folder?: string
}

type KeptName = Pick<Kept, "folder" | "from" | "kind">

/** True when the text need not be made. */
export function isKept(name: KeptName): boolean {
  return filesOf(name).some((file) => existsSync(file))
}

/** The kept text, or a new one, which is then kept. A folder that cannot be written to costs the work each time. */
export async function kept({ make, ...name }: Kept): Promise<string> {
  const file = fileOf(name)
  for (const place of filesOf(name)) {
    const found = textIn(place)
    if (found !== null) return found
  }
  const made = await make()
  try {
    mkdirSync(dirname(file), { recursive: true })
    // A reader at the same time sees the whole text or none.
    const draft = `${file}.${process.pid}.${threadId}`
    writeFileSync(draft, made)
    renameSync(draft, file)
  } catch {
    return made
  }
  return made
}

function filesOf(name: KeptName): readonly string[] {
  const file = fileOf(name)
  return name.folder === undefined ? [join(BUILT, basename(file)), file] : [file]
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
