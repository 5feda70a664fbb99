/** Outbound calls of the chosen actor's group up to the playhead: every attempt with its answer and the pause after it. */

import type { JSX } from "preact"
import { attemptsUpTo } from "../../inspection/attempts.ts"
import type { Attempt } from "../../inspection/attempts.ts"
import { durationText } from "../../inspection/durations.ts"
import { at } from "../../inspection/run-index.ts"
import { timeOfDay } from "../../inspection/shown-value.ts"
import { partOf } from "../../model/address.ts"
import { CallBodies } from "./call-bodies.tsx"
import { actorsOfGroup } from "./group-actors.ts"
import type { OpenRun } from "./record-source.ts"
import type { Scene } from "./scene.ts"

export function Calls(scene: Scene): JSX.Element | null {
  const { run, view } = scene
  const attempts = attemptsUpTo(run.index, view.row, actorsOfGroup(scene))
  if (attempts.length === 0) return null
  const byActor = Map.groupBy(attempts, ({ actor }) => actor)
  return (
    <section aria-labelledby="calls-title" id="calls">
      <h3 id="calls-title">Calls</h3>
      {[...byActor].map(([actor, ofActor]) => (
        <CallsOfActor key={actor} scene={scene} actor={actor} attempts={ofActor} />
      ))}
      <CallBodies run={run} attempts={attempts} />
    </section>
  )
}

interface CallsProps {
  readonly scene: Scene
  readonly actor: number
  readonly attempts: readonly Attempt[]
}

function CallsOfActor({ scene, actor, attempts }: CallsProps): JSX.Element {
  const { run, view, go } = scene
  const name = partOf(run.index.actors[actor]?.address ?? "").replaceAll("-", " ")
  return (
    <table class="calls">
      <caption>Calls of {name}</caption>
      <thead>
        <tr>
          <th scope="col">Try</th>
          <th scope="col">At</th>
          <th scope="col">Answer</th>
          <th scope="col" class="end">
            Took
          </th>
          <th scope="col" class="end">
            Next in
          </th>
        </tr>
      </thead>
      <tbody>
        {attempts.map((one) => (
          <tr key={one.from} class={one.to === view.row ? "is-now" : ""}>
            <td>{one.attempt}</td>
            <td class="mono">{timeAt(run, one.from)}</td>
            <td>
              <button
                type="button"
                class={`row-link ${one.hasFailed ? "bad" : ""}`}
                onClick={() => go({ row: one.to ?? one.from, actor, isPlaying: false })}
              >
                {one.hasFailed ? "✕ " : ""}
                {one.answer ?? "no answer yet"}
              </button>
            </td>
            <td class="end">{one.tookMs === null ? "–" : durationText(one.tookMs)}</td>
            <td class="end">{nextText(one)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function nextText({ nextInMs, hasFailed, to }: Attempt): string {
  if (nextInMs !== null) return durationText(nextInMs)
  return to !== null && hasFailed ? "none left" : "–"
}

function timeAt({ index, packed }: OpenRun, row: number): string {
  return timeOfDay(packed.head.clock0Ms + at(index.t, row), packed.head.zone)
}
