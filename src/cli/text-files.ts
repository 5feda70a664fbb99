/** Files that a command reads as text. */

import { readFileSync } from "node:fs"
import { UsageError } from "./usage-error.ts"
import { faultMessage } from "./terminal.ts"

/** Null when the file cannot be read. */
export function textAt(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}

/** Throws a `UsageError` with the reason when the file cannot be read. */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    throw new UsageError(whyUnreadable(file, cause))
  }
}

function whyUnreadable(file: string, cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException
  if (code === "ENOENT") return `there is no file ${file}`
  if (code === "EISDIR") return `${file} is a folder, not a file`
  return `cannot read ${file}: ${faultMessage(cause)}`
}
