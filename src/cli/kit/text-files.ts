/** Files that a command reads as text. */

import { readFileSync, statSync } from "node:fs"
import { withoutMark } from "../../simulation/scenario/language/file-kind.ts"
import type { Problem } from "../../simulation/scenario/language/problems.ts"
import { UsageError } from "./usage-error.ts"
import { faultMessage } from "./terminal.ts"

/** Null when the file cannot be read. */
export function textAt(path: string): string | null {
  try {
    return withoutMark(readFileSync(path, "utf8"))
  } catch {
    return null
  }
}

/** Why a file that is there gives no bytes: the rest of a sentence that begins with its name. */
export interface FileFault {
  readonly fault: string
}

/** What Node.js reads at once. */
const READ_BYTES_MAX = 2 ** 31 - 1

/** Null when there is no file. A file of more than `max` bytes is not read. */
export function bytesAt(path: string, max = READ_BYTES_MAX): Buffer | FileFault | null {
  try {
    const found = statSync(path)
    if (found.isDirectory()) return { fault: "is a folder, not a file" }
    if (found.size > max) return { fault: `has ${found.size} bytes, more than ${max}` }
    return readFileSync(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    return code === "ENOENT" || code === "ENOTDIR"
      ? null
      : { fault: `cannot be read: ${faultMessage(cause)}` }
  }
}

/** What to do about a file whose bytes are another encoding's, such as Latin-1 or UTF-16. */
export const SAVE_AS_UTF8 = "save it as UTF-8 in the editor that wrote it"

/**
 * Null when the bytes are not valid UTF-8: replaced letters would be lost with the next save. A byte order mark is no part of
 * the text.
 */
export function utf8Of(bytes: Uint8Array): string | null {
  if (isUtf16(bytes)) return null
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** UTF-16 has its own mark, or a zero beside one of the first two letters, which ASCII text in it always has. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second, third, fourth] = bytes
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return isMarked || [first, second, third, fourth].includes(0)
}

/** Throws a `UsageError` with the reason when the file cannot be read. */
export function readText(file: string): string {
  try {
    return withoutMark(readFileSync(file, "utf8"))
  } catch (cause) {
    throw new UsageError(whyUnreadable(file, cause))
  }
}

/**
 * The text of a file that people write, or a problem at its first letter that is not UTF-8. Throws a `UsageError` when the
 * file cannot be read.
 */
export function readWritten(file: string): string | Problem {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (cause) {
    throw new UsageError(whyUnreadable(file, cause))
  }
  return textOf(file, bytes)
}

/** The bytes of a file as text, or a problem at the first letter that is not UTF-8. */
export function textOf(file: string, bytes: Buffer): string | Problem {
  return utf8Of(bytes) ?? notUtf8(file, bytes)
}

function notUtf8(file: string, bytes: Buffer): Problem {
  if (isUtf16(bytes)) {
    const message = "the file is UTF-16 text, and only UTF-8 is read"
    return { place: { file, line: 1, column: 1 }, line: "", start: 0, length: 1, message, help: SAVE_AS_UTF8 }
  }
  const lines = bytes.toString("utf8").split("\n")
  const index = Math.max(
    lines.findIndex((line) => line.includes(NO_LETTER)),
    0,
  )
  const line = lines[index] ?? ""
  const start = Math.max(line.indexOf(NO_LETTER), 0)
  return {
    place: { file, line: index + 1, column: start + 1 },
    line,
    start,
    length: 1,
    message: "the file is not UTF-8 text",
    help: SAVE_AS_UTF8,
  }
}

/** The replacement character for bytes that are not valid UTF-8. */
const NO_LETTER = "\uFFFD"

function whyUnreadable(file: string, cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException
  if (code === "ENOENT") return `there is no file ${file}`
  if (code === "EISDIR") return `${file} is a folder, not a file`
  return `cannot read ${file}: ${faultMessage(cause)}`
}
