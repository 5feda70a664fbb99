/**
 * Estimates how easily a password is guessed, by zxcvbn over common passwords, names and English words. Loaded on first
 * use.
 */

import type { ZxcvbnFactory } from "@zxcvbn-ts/core"
import type { PasswordStrength } from "../../apps/portal/people/passwords.ts"

/**
 * Anyone may send a password, and the time of an estimate grows with the square of its length and with the replaced
 * letters that are tried. Further ones add nothing to the score: above these bounds it took seconds of the main thread.
 */
const JUDGED_LENGTH_MAX = 32
const LETTER_SUBSTITUTIONS_MAX = 8

/** Loads the dictionaries: some megabytes, and a tenth of a second of processor time. */
export async function loadPasswordStrength(): Promise<PasswordStrength> {
  const { ZxcvbnFactory: Factory } = await import("@zxcvbn-ts/core")
  const common = await import("@zxcvbn-ts/language-common")
  const english = await import("@zxcvbn-ts/language-en")
  const judge: ZxcvbnFactory = new Factory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    translations: english.translations,
    maxLength: JUDGED_LENGTH_MAX,
    l33tMaxSubstitutions: LETTER_SUBSTITUTIONS_MAX,
  })
  return (password, about) => {
    const { score, feedback } = judge.check(password, [...about])
    return { score, warning: feedback.warning ?? null }
  }
}
