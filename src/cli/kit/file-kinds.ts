/** Which command takes which kind of file. */

import { kindOfText } from "../../simulation/scenario/language/file-kind.ts"
import type { FileKind } from "../../simulation/scenario/language/file-kind.ts"
import { UsageError } from "./usage-error.ts"

const HOW_TO_USE: Readonly<Record<FileKind, (file: string) => string>> = {
  "fleet model": (file) => `is a fleet model; run it with "npx curbline fleet ${file}"`,
  "file of fragments": () => "has fragments; run a scenario that uses it, or the folder of both",
  scenario: (file) => `is a scenario; run it with "npx curbline run ${file}"`,
  "what-if file": (file) => `is a what-if file; run it with "npx curbline fork RECORD --at N --with ${file}"`,
}

/** Throws a `UsageError` for a file of another kind than the command takes; one of no known kind passes, and is read. */
export function refuseKind(file: string, text: string, wanted: FileKind): void {
  const kind = kindOfText(text)
  if (kind !== null && kind !== wanted) throw new UsageError(`${file} ${HOW_TO_USE[kind](file)}`)
}
