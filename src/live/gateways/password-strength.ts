/**
 * Estimates how easily a password is guessed, by zxcvbn over common passwords, names and English words. Loaded on first
 * use.
 */

import type { ZxcvbnFactory } from "@zxcvbn-ts/core"
import type { PasswordStrength } from "../../apps/portal/people/passwords.ts"

/** Further characters cost time and add nothing to the estimate. */
const JUDGED_LENGTH_MAX = 64

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
  })
  return (password, about) => {
    const { score, feedback } = judge.check(password, [...about])
    return { score, warning: feedback.warning ?? null }
  }
}
