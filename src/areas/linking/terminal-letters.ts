/**
 * What a terminal and the page that links it share: the terminal keeps a secret and puts its handle into the address of
 * the page. Both show the letters of the handle. No letter is a vowel, so that they make no words.
 */

import { sha256Base64Url, sha256Hex } from "#digest"

const LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
const LETTERS_SHOWN = 4

/** The handle of a secret: the secret cannot be computed from it. */
export function handleOf(secret: string): string {
  return sha256Base64Url(secret)
}

/** Such as `B K T R`, to compare and to read aloud. */
export function lettersOf(handle: string): string {
  const digest = sha256Hex(`letters of a terminal\n${handle}`)
  return Array.from({ length: LETTERS_SHOWN }, (_, at) => {
    const number = Number.parseInt(digest.slice(8 * at, 8 * at + 8), 16)
    return LETTERS[number % LETTERS.length]
  }).join(" ")
}
