/** The page while its host counts: what went wrong at once, how many futures there are, and a way to stop. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { LOST_PATH } from "../../inspection/moment-data.ts"
import type { CountingData, MomentState } from "../../inspection/moment-data.ts"
import { Button } from "../design/button.tsx"
import { Failure, Skeleton } from "../design/feedback.tsx"
import { MomentPage, TopBar } from "./moment-page.tsx"

const ASKS_EVERY_MS = 300

export function CountingPage({ record }: CountingData): JSX.Element {
  const state = useCounted()
  const [isStopping, setStopping] = useState(false)
  if (state.is === "done") return <MomentPage data={state.data} />
  const stop = (): void => {
    setStopping(true)
    void fetch(`${LOST_PATH}/stop`, { method: "POST" })
  }
  return (
    <div class="moment">
      <TopBar answer={null} record={record} />
      <main>
        {state.is === "failed" ? (
          <Failure
            title="It cannot be counted"
            failure={{ message: state.message, code: null, requestId: null }}
          />
        ) : (
          <>
            <section class="hero">
              <h1>{state.outcome ?? "The record is read."}</h1>
              <div class="counting">
                <progress aria-label="Futures are counted" />
                <Button isBusy={isStopping} onPress={stop}>
                  Stop, keep what is known
                </Button>
              </div>
              <p class="quiet" role="status">
                {state.futures.toLocaleString("en")} futures so far. Each half narrows where the odds jump;
                then decisions are tried.
              </p>
            </section>
            <section class="curve">
              <Skeleton lines={6} />
            </section>
          </>
        )}
      </main>
    </div>
  )
}

function useCounted(): MomentState {
  const [state, setState] = useState<MomentState>({ is: "counting", outcome: null, futures: 0 })
  useEffect(() => {
    if (state.is !== "counting") return undefined
    const timer = window.setTimeout(() => void asked().then(setState), ASKS_EVERY_MS)
    return () => window.clearTimeout(timer)
  }, [state])
  return state
}

async function asked(): Promise<MomentState> {
  try {
    const answer = await fetch(`${LOST_PATH}/state`)
    if (answer.ok) return (await answer.json()) as MomentState
  } catch {
    // The same as a host that does not know of it.
  }
  return { is: "failed", message: "The command that counted it has ended, or counts another order." }
}
