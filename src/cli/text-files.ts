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

/** What to do about a file whose bytes are another encoding's, such as Latin-1 or UTF-16. */
export const SAVE_AS_UTF8 = "save it as UTF-8 in the editor that wrote it"

/** Null when the bytes are not valid UTF-8: replaced letters would be lost with the next save. */
export function utf8Of(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
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
