/** Calls of operations that ring at the site: large, with sound and vibration until a runner answers. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { PhoneCall } from "../../../model/requests/runner-app.ts"
import { Icon } from "../design/icon.tsx"
import { ring } from "./signal.ts"
import type { RunnerActions, RunnerState } from "./state.ts"
import { clockTime, useNow } from "./times.ts"
import { callWords } from "./words.ts"

/** ms between two rings */
const RING_MS = 4000

interface CallsProps {
  readonly state: RunnerState
  readonly actions: RunnerActions
}

export function Calls({ state, actions }: CallsProps): JSX.Element | null {
  const nowMs = useNow()
  const ringing = state.calls.filter((call) => call.state === "ringing" && Date.parse(call.ends_at) > nowMs)
  const newest = ringing[0]?.call_id ?? null
  useEffect(() => {
    if (newest === null) return
    ring()
    const timer = window.setInterval(ring, RING_MS)
    return () => window.clearInterval(timer)
  }, [newest])
  return (
    <div role="alert" class="calls">
      {ringing.map((call) => (
        <Ringing key={call.call_id} call={call} onAnswer={() => actions.answer(call)} />
      ))}
    </div>
  )
}

interface RingingProps {
  readonly call: PhoneCall
  /** What went wrong; null when it was answered. */
  readonly onAnswer: () => Promise<string | null>
}

function Ringing({ call, onAnswer }: RingingProps): JSX.Element {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const answer = async (): Promise<void> => {
    setBusy(true)
    setProblem(await onAnswer())
    setBusy(false)
  }
  const { message, called_by, called_at } = call
  return (
    <section class="ringing">
      <h2>
        <Icon name="bell-ring" /> {callWords(call)}
      </h2>
      {message === null ? null : <p class="message">{message}</p>}
      <p class="by">
        {called_by} called at {clockTime(called_at)}.
      </p>
      {problem === null ? null : <p class="bad">{problem}</p>}
      <button
        type="button"
        class="next"
        aria-busy={isBusy}
        onClick={() => (isBusy ? undefined : void answer())}
      >
        {isBusy ? "Answering …" : "I am coming"}
      </button>
    </section>
  )
}
