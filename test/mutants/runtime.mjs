/**
 * Loaded before everything else in each process of a run: `mutant(N)` says whether change N is on. Where hits are kept, it also
 * notes which test file reached it.
 */

import { appendFileSync } from "node:fs"
import { join } from "node:path"

const { CURBLINE_MUTANT: active = "", CURBLINE_MUTANT_HITS: hits = "" } = process.env
const seen = new Set()

globalThis.mutant = hits === "" ? (number) => String(number) === active : noted

function noted(number) {
  const file = process.env.CURBLINE_MUTANT_FILE
  const hit = `${number} ${file ?? ""}\n`
  if (file !== undefined && !seen.has(hit)) {
    seen.add(hit)
    appendFileSync(join(hits, `${process.pid}.txt`), hit)
  }
  return false
}
