/** The machine of an actor at a moment, with its active states lit: beside a course, without the inspector's panel. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import type { ChartDocument } from "../../../chart/chart-document.ts"
import { awaitedBy, eventWords } from "../../../inspection/awaited.ts"
import { durationText } from "../../../inspection/durations.ts"
import { NONE } from "../../../inspection/run-index.ts"
import { partOf } from "../../../../model/address.ts"
import { actorMomentOf } from "../actor-moment.ts"
import type { ActorMoment } from "../actor-moment.ts"
import { hueClass } from "../kind-square.tsx"
import type { OpenRun } from "../sources/record-source.ts"
import { FoldedPicture } from "./folded-picture.tsx"

interface LitMachineProps {
  readonly open: OpenRun
  readonly row: number
  readonly actor: number
  /** The playhead's, from the entry on. */
  readonly t: number
}

export function LitMachine({ open, row, actor, t }: LitMachineProps): JSX.Element {
  const found = open.index.actors[actor]
  const chart = open.chartOf(found?.machine ?? null)
  const moment = useMemo(
    () => actorMomentOf(open, { actor, row, now: t }, chart?.chart ?? null),
    [open, actor, row, t, chart],
  )
  const name = found === undefined ? "Machine" : partOf(found.address).replaceAll("-", " ")
  const states = moment.active.filter((path) => !moment.active.some((other) => other.startsWith(`${path}.`)))
  return (
    <section class="machine" aria-label="Machine">
      <h3>
        {name} <span class="quiet mono">{states.map((path) => path.split(".").at(-1)).join(", ")}</span>
      </h3>
      {chart !== null && <Waiting moment={moment} states={states} chart={chart.chart} name={name} t={t} />}
      {actor === NONE || chart === null ? (
        <p class="quiet">This entry has no machine to show.</p>
      ) : (
        <FoldedPicture
          key={chart.chart.id}
          chart={chart.chart}
          title={`Machine ${name}`}
          moment={moment}
          folding="automatic"
          hue={hueClass(found)}
        />
      )}
    </section>
  )
}

interface WaitingProps {
  readonly moment: ActorMoment
  /** The innermost active states. */
  readonly states: readonly string[]
  readonly chart: ChartDocument
  /** Of the machine, in words. */
  readonly name: string
  readonly t: number
}

/** For how long the machine is so already, and what it allows next. */
function Waiting({ moment, states, chart, name, t }: WaitingProps): JSX.Element | null {
  const [state] = states
  if (state === undefined) return null
  const ms = t - (moment.dwell.get(state)?.since ?? t)
  const { next } = awaitedBy(chart, moment.active)
  return (
    <p class="waiting">
      {ms === 0 ? "since this entry" : `for ${durationText(ms)}`}; allows:{" "}
      {next.length === 0 ? "nothing from outside" : eventWords(name.replaceAll(" ", "-"), next)}
    </p>
  )
}
