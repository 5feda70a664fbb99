/** Pairs the phone by the link that it opened, or says how to get one. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { PhoneRecord } from "../../../model/runner-app.ts"
import { Mark } from "../../design/mark.tsx"
import { pairPhone } from "../api.ts"

interface PairProps {
  /** Of the address; null without one. */
  readonly code: string | null
  readonly isAway: boolean
  readonly onPaired: (me: PhoneRecord) => void
}

export function PairPage({ code, isAway, onPaired }: PairProps): JSX.Element {
  const [problem, setProblem] = useState<string | null>(null)
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
    setProblem(answer.type === "away" ? AWAY : USED)
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
          {problem === null && !isAway ? null : (
            <p class="problem" role="alert">
              {problem ?? "There is no network."}
            </p>
          )}
          <ol class="how">
            <li>Ask operations for a pairing code for you and this site.</li>
            <li>Scan the code with this phone's camera within two minutes.</li>
            <li>The phone stays paired for your shift, up to 12 hours.</li>
          </ol>
        </>
      )}
      {problem === AWAY ? (
        <footer class="thumb">
          <button type="button" class="next" onClick={() => void pair()}>
            Try again
          </button>
        </footer>
      ) : null}
    </main>
  )
}

const AWAY = "There is no network. The code stays good for two minutes."
const USED = "This code was used or is older than two minutes. Scan a new one."
