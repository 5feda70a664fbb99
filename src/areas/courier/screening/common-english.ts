/**
 * Common English words: none of them is a misspelt brand. From the dictionary that passwords are judged by. The set is made at the
 * first question, because a service without errands never asks.
 */

import commonWords from "@zxcvbn-ts/language-en/dist/commonWords.json.mjs"
import { singular } from "./words.ts"

let words: ReadonlySet<string> | null = null

/** Takes a word in lower case and in the singular. */
export function isCommonEnglish(word: string): boolean {
  words ??= new Set(commonWords.map(singular))
  return words.has(word)
}
