/**
 * The selected actor at the playhead: its state, what it waits for, what is due next, and why the last entry happened.
 */

import type { JSX } from "preact"
import { causesOf } from "../../inspection/causes.ts"
import { clockText, durationText } from "../../inspection/durations.ts"
import { eventName } from "../../inspection/event-name.ts"
import { actorLabel, rowText, shortAddress } from "../../inspection/row-text.ts"
import { ELSEWHERE, NONE, at } from "../../inspection/run-index.ts"
import { activePaths, statesText } from "../../inspection/state-value.ts"
import { dwellAt } from "../../inspection/position.ts"
import { groupOf, partOf } from "../../model/address.ts"
import { Panel } from "../components/panel.tsx"
import { Compare } from "./compare.tsx"
import { Context } from "./context.tsx"
import { useRead } from "./entries.ts"
import { actorOfRow } from "./navigation.ts"
import { entryAt } from "./record-source.ts"
import type { Scene } from "./scene.ts"

export function Moment(scene: Scene): JSX.Element {
  const { run, view, s } = scene
  const address = run.index.actors[view.actor]?.address
  return (
    <Panel id="moment" title="Moment" s={s}>
      <div class="scroll" role="region" aria-label="The moment" tabIndex={0}>
        <p class="mono" title={address}>
          {address === undefined ? "no actor is chosen" : shortAddress(address)}
        </p>
        <Facts {...scene} />
        <Why {...scene} />
        <Context {...scene} />
        <Compare {...scene} />
      </div>
    </Panel>
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
        {clockText(since)} ({durationText(now - since)})
      </dd>
      <Waiting run={run} view={view} />
      <Timers run={run} view={view} now={now} />
    </dl>
  )
}

/** All actors of the group: one part often waits for another. */
function actorsOfGroup({ run, view }: Pick<Scene, "run" | "view">): readonly number[] {
  return run.actorsByGroup.get(groupOf(run.index.actors[view.actor]?.address ?? "")) ?? []
}

function Waiting({ run, view }: Pick<Scene, "run" | "view">): JSX.Element {
  const calls = actorsOfGroup({ run, view }).flatMap((actor) => run.positions.callsAt(actor, view.row))
  return (
    <>
      <dt>Waiting for</dt>
      <dd>
        {calls.length === 0 && <span class="quiet">no answer from outside</span>}
        <ul>
          {calls.map(({ actor, call, attempt, from }) => (
            <li key={`${actor} ${from}`}>
              the answer to <b>{call}</b>, attempt {attempt}, asked by{" "}
              {partOf(run.index.actors[actor]?.address ?? "")} at {clockText(at(run.index.t, from))}
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
                {clockText(timer.due)}
              </li>
            )
          })}
        </ul>
      </dd>
    </>
  )
}

/**
 * The cause of a row whose journal is not in the record: its group and revision, with a link to that group's page if
 * there is one.
 */
function Elsewhere({ run, row }: Pick<Scene, "run"> & { readonly row: number }): JSX.Element {
  const entry = useRead(() => entryAt(run, row), [run, row])
  const cause = entry?.cause ?? null
  if (cause === null) return <>A turn of another group led to it.</>
  const [group, revision] = cause
  const path = run.pathTo(group, revision)
  const name = `${shortAddress(group)}, revision ${revision}`
  return (
    <>
      A turn of another group led to it:{" "}
      {path === null ? (
        <>
          <span class="mono">{name}</span>. This record does not hold that group's journal.
        </>
      ) : (
        <a class="mono" href={path} title={group}>
          {name}
        </a>
      )}
    </>
  )
}

/**
 * The chain of causes of the selected actor's last step; without an actor, or before its start, that of the playhead's
 * entry.
 */
function Why({ run, view, go }: Scene): JSX.Element {
  const step = view.actor === NONE ? NONE : run.positions.stepAt(view.actor, view.row)
  const of = step === NONE ? view.row : at(run.index.stepRow, step)
  const chain = causesOf(run.index, of)
  const first = chain.at(-1) ?? of
  const by = at(run.index.by, first)
  const isElsewhere = at(run.index.cause, first) === ELSEWHERE
  const whose = step === NONE ? "" : ` ${actorLabel(run.index.actors[view.actor]?.address ?? "")}`
  return (
    <section aria-labelledby="why-title" id="why" data-row={of}>
      <h3 id="why-title">Why{whose === "" ? "" : `:${whose}`}</h3>
      <ol>
        {chain.map((row) => (
          <li key={row}>
            <button
              type="button"
              class="row-link"
              onClick={() => go({ row, actor: actorOfRow(run, row), isPlaying: false })}
            >
              #{at(run.index.s, row)} {clockText(at(run.index.t, row))}{" "}
              {rowText(run.index, row, run.markByRow.get(row))}
            </button>
          </li>
        ))}
      </ol>
      <p class="quiet">
        {by === 0 && !isElsewhere && "A command from outside began it."}
        {by === NONE && "A step of the scenario."}
        {isElsewhere && <Elsewhere run={run} row={first} />}
      </p>
    </section>
  )
}
