/**
 * `generate --types`: the types of the APIs, which are not in git. They are made when one is missing or altered, or when a
 * file from which the documents come has changed.
 */

import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { digest } from "../../engine/kernel/hash.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { err } from "../kit/terminal.ts"
import { textAt } from "../kit/text-files.ts"

/** Everything that a document can be made of, and the version of what makes its types. */
const SOURCES = [
  "package-lock.json",
  "machines",
  "src/apps",
  "src/areas",
  "src/cli/generate",
  "src/engine",
  "src/http",
  "src/model",
]

/** Where the types belong, and what makes them. */
export interface TypesPlace {
  /** The top of the checkout. */
  readonly top: string
  /** Texts by file. Cost: about two seconds. */
  readonly make: () => Promise<Readonly<Record<string, string>>>
}

const CHECKOUT: TypesPlace = {
  top: fileURLToPath(new URL("../../../", import.meta.url)),
  make: async () => (await import("./api-types.ts")).apiTypesTexts(),
}

export async function typesCommand(): Promise<ExitStatus> {
  for (const file of await refreshTypes()) err(`wrote ${file}`)
  return EXIT.passed
}

/** The files that were written. Cost: about 50 ms when the types are fresh. */
export async function refreshTypes({ top, make }: TypesPlace = CHECKOUT): Promise<readonly string[]> {
  const from = sourcesDigest(top)
  const cache = join(top, ".curbline/cache")
  const note = join(cache, "api-types.json")
  if (isFresh(top, from, textAt(note))) return []
  const texts = await make()
  mkdirSync(cache, { recursive: true })
  const replace = (file: string, text: string): void => {
    // Written elsewhere and renamed: a compiler beside this process sees the whole text, and tests that list the tree no draft.
    const draft = join(cache, `api-types.${process.pid}`)
    writeFileSync(draft, text)
    renameSync(draft, file)
  }
  const changed = Object.entries(texts).filter(([file, text]) => textAt(join(top, file)) !== text)
  for (const [file, text] of changed) replace(join(top, file), text)
  const files = Object.fromEntries(Object.entries(texts).map(([file, text]) => [file, digest(text)]))
  const made: Made = { from, files }
  replace(note, JSON.stringify(made))
  return changed.map(([file]) => file)
}

/** What is known about the types that are there. */
interface Made {
  /** Digest of the sources. */
  readonly from: string
  /** Digests by file. */
  readonly files: Readonly<Record<string, string>>
}

function isFresh(top: string, from: string, note: string | null): boolean {
  if (note === null) return false
  const made = JSON.parse(note) as Made
  const isThere = ([file, of]: readonly [string, string]): boolean => {
    const text = textAt(join(top, file))
    return text !== null && digest(text) === of
  }
  return made.from === from && Object.entries(made.files).every(isThere)
}

function sourcesDigest(top: string): string {
  const texts = SOURCES.flatMap((source) => filesOf(top, source)).map(
    (file) => `${file}\n${readFileSync(join(top, file), "utf8")}`,
  )
  return digest(texts.join("\0"))
}

/** The file itself, or the code below the folder. */
function filesOf(top: string, source: string): readonly string[] {
  if (source.endsWith(".json")) return [source]
  return readdirSync(join(top, source), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .toSorted()
    .map((name) => join(source, name))
}
