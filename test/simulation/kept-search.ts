/**
 * Searches that begin with what they found before. A file beside the tests keeps it by name; when a kept candidate no longer shows
 * what is searched for, all candidates are tried, and what to write down is printed.
 */

import { readFileSync, writeSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"

const STDERR = 2

export class KeptSearch<Candidate extends number | string> {
  readonly kept: Readonly<Record<string, Candidate>>
  readonly #file: string
  readonly #found: Record<string, Candidate> = {}

  /** The file is JSON: a candidate for each name. */
  constructor(file: URL) {
    this.#file = fileURLToPath(file)
    this.kept = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, Candidate>>
    afterAll(() => {
      if (Object.keys(this.#found).length === 0) return
      const lines = JSON.stringify(this.#found, null, 2)
      writeSync(STDERR, `${basename(this.#file)} is out of date; its new lines:\n${lines}\n`)
    })
  }

  /** What the first candidate shows, the kept one before all others; null when none shows anything. */
  find<Shown>(
    name: string,
    candidates: Iterable<Candidate>,
    look: (candidate: Candidate) => Shown | null,
  ): Shown | null {
    const kept = this.kept[name]
    const known = kept === undefined ? null : look(kept)
    if (known !== null) return known
    for (const candidate of candidates) {
      const shown = look(candidate)
      if (shown === null) continue
      this.#found[name] = candidate
      return shown
    }
    return null
  }
}
