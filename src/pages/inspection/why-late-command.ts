/** The command that says when an order of a record was lost, and writes the answer as a page. */

import { shellWord } from "../../model/values/shell-word.ts"

export interface AskedWhyLate {
  /** The record's file. */
  readonly file: string
  readonly group: string
  /** What late is for a delivery, such as `45m` after its request; null for the command's own limit. */
  readonly limit: string | null
}

export function whyLateCommand({ file, group, limit }: AskedWhyLate): string {
  const late = limit === null ? "" : ` --limit ${shellWord(limit)}`
  return `npx curbline why-late ${shellWord(file)} ${shellWord(group)}${late} --report lost.html`
}
