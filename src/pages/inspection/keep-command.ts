/** The command that keeps a case of a record as a scenario, to paste into a POSIX shell. */

import { shellWord } from "../../model/values/shell-word.ts"

export interface Keeping {
  /** The record's file. */
  readonly file: string
  /** The case's group, or its id. */
  readonly group: string
  /** Why it is kept; empty for the usual sentence. */
  readonly because: string
}

/** What the command writes, beside the record. */
export const KEPT_FILE = "kept.yaml"

export function keepCommand({ file, group, because }: Keeping): string {
  const why = because === "" ? "" : ` --because ${shellWord(because)}`
  return `npx curbline scenario from ${shellWord(file)} --group ${shellWord(group)}${why} --out ${KEPT_FILE}`
}
