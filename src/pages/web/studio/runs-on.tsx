/** Where scenarios run: the choice beside Run, the bar that says it, and how far a run against the service is. */

import type { JSX } from "preact"
import { Button } from "../design/button.tsx"
import type { Area } from "./area.ts"
import type { StudioActions, StudioState } from "./studio-state.ts"

interface Parts {
  readonly state: StudioState
  readonly actions: StudioActions
}

interface BarProps extends Pick<Parts, "state"> {
  readonly area: Area
}

/** The bar on top. Fleet models and the swarm run on this machine, whatever scenarios run on. */
export function RunsOnBar({ state, area }: BarProps): JSX.Element {
  const { listing, runsOn, isRunning, runningAll } = state
  const isThere = area === "Scenarios" || isRunning || runningAll !== null
  if (runsOn === "memory" || !isThere)
    return (
      <div class="environment local">
        <span class="badge">LOCAL</span> virtual time, nothing leaves this machine
      </div>
    )
  return (
    <div class="environment">
      <span class="badge">SANDBOX</span> scenarios run against {listing?.service}, whose clock is moved
    </div>
  )
}

/** Nothing without a service: then there is no choice. */
export function RunsOnChoice({ state, actions }: Parts): JSX.Element | null {
  const { listing, runsOn, isRunning, runningAll } = state
  if (listing === null || listing.service === null) return null
  return (
    <span class="runs-on">
      <select
        aria-label="Where scenarios run"
        value={runsOn}
        disabled={isRunning || runningAll !== null}
        onChange={({ currentTarget }) =>
          actions.runOn(currentTarget.value === "service" ? "service" : "memory")
        }
      >
        <option value="memory">in memory</option>
        <option value="service">the sandbox at {listing.service}</option>
      </select>
    </span>
  )
}

/** While the open file runs against the service. */
export function ServiceRunning({ state, actions }: Parts): JSX.Element | null {
  const { listing, step, isRunning } = state
  if (!isRunning || step === null) return null
  const { run, runs, steps, words } = step
  const row = runs === 1 ? "" : `row ${run} of ${runs}, `
  return (
    <div class="service-running">
      <div class="row">
        <span class="grow" role="status">
          {row}
          {step.step === 0
            ? `${words} at ${listing?.service ?? ""}`
            : `step ${step.step} of ${steps}: ${words}`}
        </span>
        <Button isSmall onPress={actions.stop}>
          Stop
        </Button>
      </div>
      <progress max={steps + 1} value={step.step} aria-label="Steps of the run" />
    </div>
  )
}
