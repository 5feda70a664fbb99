/** Files that a command reads as text. */

import { readFileSync } from "node:fs"
import { UsageError } from "./scenario-files.ts"

/** Null where nothing can be read. */
export function textAt(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}

/** Throws a `UsageError` where nothing can be read. */
export function readText(file: string): string {
  const text = textAt(file)
  if (text === null) throw new UsageError(`there is no file ${file}`)
  return text
}
