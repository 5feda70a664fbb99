/** The selected actor at the playhead: why its last step happened, its group's calls, its values, and what is due next. */

import type { JSX } from "preact"
import { durationText } from "../../inspection/durations.ts"
import { eventName } from "../../inspection/event-name.ts"
import { NONE, at } from "../../inspection/run-index.ts"
import { timeOfDay } from "../../inspection/shown-value.ts"
import { activePaths, statesText } from "../../inspection/state-value.ts"
import { dwellAt } from "../../inspection/position.ts"
import { partOf } from "../../../model/address.ts"
import { Calls } from "./calls.tsx"
import { Compare } from "./compare.tsx"
import { Context } from "./context.tsx"
import { actorsOfGroup } from "./group-actors.ts"
import { Related } from "./related.tsx"
import type { Scene } from "./scene.ts"
import { Why } from "./why.tsx"

export function Moment(scene: Scene): JSX.Element {
  return (
    <section id="moment" class="panel" aria-label="Moment" data-s={scene.s}>
      <div class="scroll" role="region" aria-label="The moment" tabIndex={0}>
        <Why {...scene} />
        <Calls {...scene} />
        <Related {...scene} />
        <Context {...scene} />
        <ActorFacts {...scene} />
        <Compare {...scene} />
      </div>
    </section>
  )
}

function ActorFacts(scene: Scene): JSX.Element {
  const address = scene.run.index.actors[scene.view.actor]?.address
  return (
    <section aria-labelledby="actor-title">
      <h3 id="actor-title" title={address}>
        {address === undefined ? "No actor is chosen" : `The ${partOf(address).replaceAll("-", " ")}`}
      </h3>
      <Facts {...scene} />
    </section>
  )
}

function Facts({ run, view, now }: Scene): JSX.Element {
  const { index, positions } = run
  const step = view.actor === NONE ? NONE : positions.stepAt(view.actor, view.row)
  if (step === NONE) return <p class="quiet">Not started yet.</p>
  const value = index.values[at(index.stepValue, step)] ?? "null"
  const dwells = dwellAt(positions, view)
  const leaf = activePaths(value).findLast((path) => dwells.get(path)?.since !== null) ?? ""
  const since = dwells.get(leaf)?.since ?? 0
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd id="state">{statesText(value)}</dd>
      <dt>Since</dt>
      <dd>
        {siteTime(run, since)} ({durationText(now - since)})
      </dd>
      <Waiting run={run} view={view} />
      <Timers run={run} view={view} now={now} />
    </dl>
  )
}

function Waiting({ run, view }: Pick<Scene, "run" | "view">): JSX.Element {
  const calls = actorsOfGroup({ run, view }).flatMap((actor) => run.positions.callsAt(actor, view.row))
  return (
    <>
      <dt>Pending calls</dt>
      <dd>
        {calls.length === 0 && <span class="quiet">none</span>}
        <ul>
          {calls.map(({ actor, call, attempt, from }) => (
            <li key={`${actor} ${from}`}>
              the answer to <b>{call}</b>, attempt {attempt}, asked by{" "}
              {partOf(run.index.actors[actor]?.address ?? "")} at {siteTime(run, at(run.index.t, from))}
            </li>
          ))}
        </ul>
      </dd>
    </>
  )
}

function Timers({ run, view, now }: Pick<Scene, "now" | "run" | "view">): JSX.Element {
  const timers = actorsOfGroup({ run, view })
    .flatMap((actor) => run.positions.timersAt(actor, view.row))
    .toSorted((a, b) => a.due - b.due)
  return (
    <>
      <dt>Timers</dt>
      <dd id="timers">
        {timers.length === 0 && <span class="quiet">none is armed</span>}
        <ul>
          {timers.map((timer) => {
            const { address = "", machine = null } = run.index.actors[timer.actor] ?? {}
            const left = timer.due - now
            return (
              <li key={`${timer.actor} ${timer.id}`}>
                {eventName(timer.id, machine)} ({partOf(address)}):{" "}
                <b>{left < 0 ? `late by ${durationText(-left)}` : `in ${durationText(left)}`}</b>, at{" "}
                {siteTime(run, timer.due)}
              </li>
            )
          })}
        </ul>
      </dd>
    </>
  )
}

/** The time of day at the site. `t`: ms since `clock0`. */
function siteTime({ packed }: Scene["run"], t: number): string {
  return timeOfDay(packed.head.clock0Ms + t, packed.head.zone)
}
