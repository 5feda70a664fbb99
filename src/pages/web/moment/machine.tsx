/** The machine of the case that waited when it was lost, with its state lit. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import type { ChartDocument } from "../../chart/chart-document.ts"
import { durationText } from "../../inspection/durations.ts"
import { hueOf } from "../../inspection/kinds.ts"
import { NONE } from "../../inspection/run-index.ts"
import type { ActorMoment } from "../inspector/actor-moment.ts"
import { FoldedPicture } from "../inspector/chart/folded-picture.tsx"
import { clockOf, machineWords } from "./figures.ts"
import type { Figures } from "./figures.ts"

interface MachineProps {
  readonly waiting: NonNullable<Figures["waiting"]>
  /** When the largest step came. */
  readonly untilMs: number
  readonly chart: ChartDocument
  readonly timeZone: string
}

export function Machine({ waiting, untilMs, chart, timeZone }: MachineProps): JSX.Element {
  const { machine, state, since } = waiting
  const waitedMs = Math.max(0, Math.round((untilMs - Date.parse(since)) / 1000) * 1000)
  const moment = useMemo(() => litAt(chart, state, waitedMs), [chart, state, waitedMs])
  const name = machineWords(machine)
  return (
    <section class="machine" aria-labelledby="machine-title">
      <header>
        <span class={`kind-square hue-${hueOf(machine)}`} aria-hidden="true" />
        <h2 id="machine-title">
          Its {name} was <span class="mono">{state}</span>
        </h2>
      </header>
      <p class="quiet small">
        since {clockOf(timeZone)(since)}, for {durationText(waitedMs)}
      </p>
      <FoldedPicture
        chart={chart}
        title={`Machine ${name}`}
        moment={moment}
        folding="automatic"
        hue={`hue-${hueOf(machine)}`}
      />
    </section>
  )
}

/** A state and the states around it, without what was taken before. `state`: the innermost active state's own name. */
function litAt({ nodes }: ChartDocument, state: string, dwellMs: number): ActorMoment {
  const path = nodes.find(({ key, parent }) => key === state && parent !== null)?.path ?? state
  const names = path.split(".")
  const active = names.map((_, at) => names.slice(0, at + 1).join("."))
  return {
    step: NONE,
    active,
    dwell: new Map(active.map((one) => [one, { since: 0, totalMs: dwellMs }])),
    fired: { edges: [], isCertain: true },
    taken: new Set(),
  }
}
