/**
 * Two pinned moments of a run side by side: the actors whose states differ, and the changes in the selected actor's
 * context.
 */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { clockText } from "../../inspection/durations.ts"
import { changesOf, jsonText } from "../../inspection/difference.ts"
import { shortAddress } from "../../inspection/row-text.ts"
import { NONE, at } from "../../inspection/run-index.ts"
import { statesText } from "../../inspection/state-value.ts"
import { contextAfter, useRead } from "./entries.ts"
import type { OpenRun } from "./sources/record-source.ts"
import type { Scene } from "./scene.ts"

/** Actors that are listed; the others are counted. */
const LISTED_MAX = 30

export function Compare(scene: Scene): JSX.Element {
  const { view, go } = scene
  const pin = (name: "pinA" | "pinB", letter: string): JSX.Element => {
    const row = view[name]
    return (
      <>
        <button type="button" onClick={() => go({ [name]: view.row })}>
          Pin {letter}
        </button>
        {row !== null && (
          <button type="button" class="row-link" onClick={() => go({ row, isPlaying: false })}>
            {letter}: #{at(scene.run.index.s, row)} {clockText(at(scene.run.index.t, row))}
          </button>
        )}
      </>
    )
  }
  return (
    <section aria-labelledby="compare-title" id="compare" tabIndex={-1}>
      <h3 id="compare-title">Compare</h3>
      <div class="bar">
        {pin("pinA", "A")}
        {pin("pinB", "B")}
      </div>
      {view.pinA !== null && view.pinB !== null && <Pinned {...scene} a={view.pinA} b={view.pinB} />}
    </section>
  )
}

interface PinnedProps extends Scene {
  readonly a: number
  readonly b: number
}

function Pinned({ run, view, go, a, b }: PinnedProps): JSX.Element {
  const stateAt = (actor: number, row: number): string => stateText(run, actor, row)
  const differing = useMemo(
    () =>
      [...run.index.actors.keys()].filter((actor) => stateText(run, actor, a) !== stateText(run, actor, b)),
    [run, a, b],
  )
  const contexts = useRead(async () => {
    const context = (row: number): ReturnType<typeof contextAfter> =>
      contextAfter(run, view.actor === NONE ? NONE : run.positions.stepAt(view.actor, row))
    return { before: await context(a), after: await context(b) }
  }, [run, view.actor, a, b])
  const changes =
    contexts === null ? [] : changesOf(contexts.before ?? undefined, contexts.after ?? undefined)
  return (
    <>
      <h4>States that differ: {differing.length}</h4>
      <ul id="differing">
        {differing.slice(0, LISTED_MAX).map((actor) => (
          <li key={actor}>
            <button type="button" class="row-link" onClick={() => go({ actor })}>
              {shortAddress(run.index.actors[actor]?.address ?? "")}: {stateAt(actor, a)} →{" "}
              {stateAt(actor, b)}
            </button>
          </li>
        ))}
      </ul>
      {differing.length > LISTED_MAX && <p class="quiet">and {differing.length - LISTED_MAX} more</p>}
      <h4>Changes in the chosen actor's context: {changes.length}</h4>
      <ul class="mono" id="changes">
        {changes.map((change) => (
          <li key={change.path}>
            {change.path}: {jsonText(change.before)} → {jsonText(change.after)}
          </li>
        ))}
      </ul>
    </>
  )
}

function stateText({ index, positions }: OpenRun, actor: number, row: number): string {
  const step = positions.stepAt(actor, row)
  return step === NONE ? "not started" : statesText(index.values[at(index.stepValue, step)] ?? "null")
}
