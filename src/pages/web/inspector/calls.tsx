/** Outbound calls of the chosen actor's group up to the playhead: every attempt with its answer and the pause after it. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { attemptsUpTo } from "../../inspection/attempts.ts"
import type { Attempt } from "../../inspection/attempts.ts"
import { durationText } from "../../inspection/durations.ts"
import { at } from "../../inspection/run-index.ts"
import { timeOfDay } from "../../inspection/shown-value.ts"
import { partOf } from "../../../model/address.ts"
import { AttemptBodies, useBodies } from "./call-bodies.tsx"
import type { UsedBodies } from "./call-bodies.tsx"
import { actorsOfGroup } from "./group-actors.ts"
import { NotInRecord } from "./kept.tsx"
import type { OpenRun } from "./sources/record-source.ts"
import type { Scene } from "./scene.ts"

export function Calls(scene: Scene): JSX.Element | null {
  const { run, view } = scene
  const attempts = attemptsUpTo(run.index, view.row, actorsOfGroup(scene))
  const bodies = useBodies(run, attempts)
  if (attempts.length === 0) return null
  const byActor = Map.groupBy(attempts, ({ actor }) => actor)
  return (
    <section aria-labelledby="calls-title" id="calls">
      <h3 id="calls-title">Calls</h3>
      {[...byActor].map(([actor, ofActor]) => (
        <CallsOfActor key={actor} scene={scene} actor={actor} attempts={ofActor} bodies={bodies} />
      ))}
      {run.kept === null ? (
        <NotInRecord run={run} what="Masked bodies of calls" />
      ) : (
        <p class="quiet">A try opens with its masked bodies. The audit log notes who opens them.</p>
      )}
    </section>
  )
}

interface CallsProps {
  readonly scene: Scene
  readonly actor: number
  readonly attempts: readonly Attempt[]
  readonly bodies: UsedBodies
}

function CallsOfActor({ scene, actor, attempts, bodies }: CallsProps): JSX.Element {
  const { run } = scene
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
          <AttemptRows key={one.from} scene={scene} name={name} attempt={one} bodies={bodies} />
        ))}
      </tbody>
    </table>
  )
}

interface AttemptRowsProps extends Pick<CallsProps, "bodies" | "scene"> {
  readonly name: string
  readonly attempt: Attempt
}

/** The attempt, and under it its bodies while they are open. */
function AttemptRows({ scene, name, attempt: one, bodies }: AttemptRowsProps): JSX.Element {
  const { run, view, go } = scene
  const [isWanted, setIsWanted] = useState(false)
  // After a further attempt the bodies are closed, and are read again when they are opened.
  const isOpen = isWanted && bodies.opened !== "closed"
  const toggle = (): void => {
    setIsWanted(!isOpen)
    if (bodies.opened === "closed") bodies.open()
  }
  return (
    <>
      <tr class={one.to === view.row ? "is-now" : ""}>
        <td>
          {run.kept === null ? (
            one.attempt
          ) : (
            <button
              type="button"
              class="row-link"
              aria-expanded={isOpen}
              aria-label={`Bodies of try ${one.attempt} of ${name}`}
              onClick={toggle}
            >
              {isOpen ? "▾" : "▸"} {one.attempt}
            </button>
          )}
        </td>
        <td class="mono">{timeAt(run, one.from)}</td>
        <td>
          <button
            type="button"
            class={`row-link ${one.hasFailed ? "bad" : ""}`}
            onClick={() => go({ row: one.to ?? one.from, actor: one.actor, isPlaying: false })}
          >
            {one.hasFailed ? "✕ " : ""}
            {one.answer ?? "no answer yet"}
          </button>
        </td>
        <td class="end">{one.tookMs === null ? "–" : durationText(one.tookMs)}</td>
        <td class="end">{nextText(one)}</td>
      </tr>
      {isOpen && (
        <tr class="call-bodies">
          <td colSpan={5}>
            <AttemptBodies run={run} name={name} attempt={one} opened={bodies.opened} />
          </td>
        </tr>
      )}
    </>
  )
}

function nextText({ nextInMs, hasFailed, to }: Attempt): string {
  if (nextInMs !== null) return durationText(nextInMs)
  return to !== null && hasFailed ? "none left" : "–"
}

function timeAt({ index, packed }: OpenRun, row: number): string {
  return timeOfDay(packed.head.clock0Ms + at(index.t, row), packed.head.zone)
}
