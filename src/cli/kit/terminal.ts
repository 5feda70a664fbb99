/** The terminal: data goes to stdout, messages to stderr; colour only where it is supported and not disabled. */

import { styleText } from "node:util"
import { EXIT } from "./exit-codes.ts"

export type Style = Parameters<typeof styleText>[0]

/** True on a terminal, without `CI` and `NO_COLOR`. */
export function hasColor(stream: NodeJS.WriteStream): boolean {
  const { CI, NO_COLOR } = process.env
  return stream.isTTY && (CI === undefined || CI === "") && (NO_COLOR === undefined || NO_COLOR === "")
}

/** Text in a style; plain when colour is disabled. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return hasColor(stream) ? styleText(style, text, { validateStream: false }) : text
}

export function out(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`)
}

export function err(text: string): void {
  process.stderr.write(text.endsWith("\n") ? text : `${text}\n`)
}

/** A reader that stops reading, such as `head`, ends the command without an error; a full disk ends it with one line. */
export function endQuietlyWhenUnread(): void {
  process.stdout.on("error", (cause: NodeJS.ErrnoException) => {
    if (cause.code === "EPIPE") process.exit(0)
    err(`error: stdout cannot be written: ${cause.message}`)
    process.exit(EXIT.failed)
  })
}

/** The service continues after its terminal or the reader of its output has closed; log lines are then dropped. */
export function goOnWhenUnread(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners("error")
    stream.on("error", () => undefined)
  }
}

/** The message of a fault, in one line. */
export function faultMessage(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
