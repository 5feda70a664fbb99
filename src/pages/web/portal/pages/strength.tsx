/** How long a new password takes to guess, roughly. The service decides, with a dictionary. */

import type { JSX } from "preact"

const LENGTH_MIN = 12
const WORDS = ["Too short.", "Weak.", "Fair.", "Good.", "Strong."] as const

export function Strength({
  password,
  about,
}: {
  readonly password: string
  /** Words about the person, which attackers try first. */
  readonly about: readonly string[]
}): JSX.Element {
  const score = scoreOf(password, about)
  const look = score <= 1 ? "weak" : score === 2 ? "fair" : ""
  return (
    <div class="column" aria-live="polite">
      <div class={`meter ${look}`} aria-hidden="true">
        {[1, 2, 3, 4].map((at) => (
          <i key={at} class={at <= score ? "on" : ""} />
        ))}
      </div>
      <p class="small quiet">
        {password === "" ? null : <strong class={look === "" ? "good" : "strong"}>{WORDS[score]} </strong>}
        Longer is better than stranger; {LENGTH_MIN} characters or more.
      </p>
    </div>
  )
}

/** 0 to 4. */
function scoreOf(password: string, about: readonly string[]): number {
  const known = about
    .flatMap((one) => one.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((one) => one.length > 2)
  const rest = known.reduce((text, word) => text.replaceAll(word, ""), password.toLowerCase())
  if (password.length < LENGTH_MIN) return 0
  const distinct = new Set(rest).size
  if (distinct < 6 || rest.length < 8) return 1
  if (rest.length < 14) return distinct < 9 ? 2 : 3
  return distinct < 9 ? 3 : 4
}
