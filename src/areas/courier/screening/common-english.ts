/**
 * Common English words: none of them is a misspelt brand. From the dictionary that passwords are judged by, loaded at the first
 * question: some megabytes, and a tenth of a second of processor time.
 */

import { createRequire } from "node:module"
import { singular } from "./words.ts"

let words: ReadonlySet<string> | null = null

/** Takes a word in lower case and in the singular. */
export function isCommonEnglish(word: string): boolean {
  words ??= load()
  return words.has(word)
}

function load(): ReadonlySet<string> {
  // The package's main module would load its dictionaries of names too.
  const found: unknown = createRequire(import.meta.url)("@zxcvbn-ts/language-en/dist/commonWords.json.cjs")
  return new Set((found as readonly string[]).map(singular))
}
