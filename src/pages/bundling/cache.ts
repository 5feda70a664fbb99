/**
 * A cache of built files: bundled pages and drawn charts. `npm run build:pages` makes them all in advance, in
 * `src/pages/bundling/built`; missing ones are made on demand and stored below `node_modules`. Nothing built is committed.
 */

import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { threadId } from "node:worker_threads"
import { digest } from "../../engine/kernel/hash.ts"

/** The files that a package contains. */
export const BUILT = fileURLToPath(new URL("built/", import.meta.url))
const FOLDER = fileURLToPath(new URL("../../../node_modules/.cache/curbline/", import.meta.url))

/** Drafts of this thread so far. */
let drafts = 0

export interface Kept {
  readonly kind: string
  /** Everything that the result depends on. */
  readonly from: string
  readonly make: () => Promise<string>
  /** Where it is stored and looked up; default: below `node_modules`, after the files built in advance. */
  readonly folder?: string
}

type KeptName = Pick<Kept, "folder" | "from" | "kind">

/** True when the text is cached. */
export function isKept(name: KeptName): boolean {
  return filesOf(name).some((file) => existsSync(file))
}

/**
 * The cached text, or a new one, which is then stored. Of several that are made at once the first is everybody's: a bundler may order what
 * it writes otherwise each time. If the folder is not writable, the text is made each time.
 */
export async function kept({ make, ...name }: Kept): Promise<string> {
  const file = fileOf(name)
  for (const place of filesOf(name)) {
    const found = textIn(place)
    if (found !== null) return found
  }
  const made = await make()
  try {
    mkdirSync(dirname(file), { recursive: true })
    // Written to a draft and linked, so that concurrent readers see the whole text or none, and none after another.
    const draft = `${file}.${process.pid}.${threadId}.${drafts++}`
    writeFileSync(draft, made)
    try {
      linkSync(draft, file)
    } finally {
      rmSync(draft)
    }
  } catch {
    // There is one already, or the folder cannot be written.
  }
  return textIn(file) ?? made
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
