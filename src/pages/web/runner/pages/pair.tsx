/** Pairs the phone by the link that it opened, or says how to get one. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { PhoneRecord } from "../../../../model/requests/runner-app.ts"
import { Mark } from "../../design/mark.tsx"
import { pairPhone } from "../api.ts"
import type { Away } from "../api.ts"
import { AWAY_WORDS } from "../words.ts"

interface PairProps {
  /** Of the address; null without one. */
  readonly code: string | null
  /** Why the service was not heard; null when it was. */
  readonly away: Away | null
  readonly onPaired: (me: PhoneRecord) => void
}

export function PairPage({ code, away, onPaired }: PairProps): JSX.Element {
  const [problem, setProblem] = useState<string | null>(null)
  const [mayTryAgain, setMayTryAgain] = useState(false)
  const [isBusy, setBusy] = useState(code !== null)
  const pair = async (): Promise<void> => {
    if (code === null) return
    setBusy(true)
    const answer = await pairPhone(code)
    if (answer.type === "done") {
      // The code is used up; it must not stay in the history.
      window.history.replaceState(null, "", "/runner")
      window.dispatchEvent(new HashChangeEvent("hashchange"))
      onPaired(answer.data.me)
      return
    }
    setBusy(false)
    setMayTryAgain(answer.type === "away")
    setProblem(answer.type === "away" ? `${AWAY_WORDS[answer.why]}. ${STAYS_GOOD}` : USED)
  }
  useEffect(() => void pair(), [code])
  return (
    <main class="runner pair">
      <p class="brand">
        <Mark /> Curbline runner
      </p>
      {isBusy ? (
        <h1>
          <span role="status">Pairing this phone …</span>
        </h1>
      ) : (
        <>
          <h1>{problem === null ? "Pair this phone" : "This phone is not paired"}</h1>
          {problem === null && away === null ? null : (
            <p class="problem" role="alert">
              {problem ?? (away === null ? null : `${AWAY_WORDS[away]}.`)}
            </p>
          )}
          <ol class="how">
            <li>Ask operations for a pairing code for you and this site.</li>
            <li>Scan the code with this phone's camera within two minutes.</li>
            <li>The phone stays paired for your shift, up to 12 hours.</li>
          </ol>
        </>
      )}
      {mayTryAgain && problem !== null ? (
        <footer class="thumb">
          <button type="button" class="next" onClick={() => void pair()}>
            Try again
          </button>
        </footer>
      ) : null}
    </main>
  )
}

const STAYS_GOOD = "The code stays good for two minutes."
const USED = "This code was used or is older than two minutes. Scan a new one."
