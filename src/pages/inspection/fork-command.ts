/** The command that goes on from a moment of a record with other steps, to paste into a POSIX shell. */

import { shellWord } from "../../model/values/shell-word.ts"

export interface Forking {
  /** The record's file. */
  readonly file: string
  /** `1:41`: the run and the entry. */
  readonly at: string
  /** The text of a what-if file. */
  readonly steps: string
}

/** One command with its steps in a here-document, so that nothing has to be saved before. The shell replaces nothing in it. */
export function forkCommand({ file, at, steps }: Forking): string {
  const lines = steps.trimEnd().split("\n")
  let end = "STEPS"
  while (lines.includes(end)) end += "_"
  const command = `npx curbline fork ${shellWord(file)} --at ${shellWord(at)} --inspect --with - <<'${end}'`
  return [command, ...lines, end].join("\n")
}
