/** The chosen actor's group in a sentence, and what an engineer on call asks first: its states, what it waits for, and what is due next. */

import type { JSX } from "preact"
import { awaitedBy, eventWords } from "../../inspection/awaited.ts"
import type { Awaited } from "../../inspection/awaited.ts"
import { causesOf } from "../../inspection/causes.ts"
import { durationText } from "../../inspection/durations.ts"
import { eventName } from "../../inspection/event-name.ts"
import { exceptionRow, exceptionSentence, failureWords, stateSentence } from "../../inspection/headline.ts"
import { nameOfGroup } from "../../inspection/group-names.ts"
import { kindWords, machineKind } from "../../inspection/kinds.ts"
import { rowLines, shortAddress } from "../../inspection/row-text.ts"
import { NONE, at, eventSentBy } from "../../inspection/run-index.ts"
import { timeNear } from "../../inspection/shown-value.ts"
import { activePaths, statesText } from "../../inspection/state-value.ts"
import { groupOf, idOf, kindOf, partOf } from "../../../model/address.ts"
import type { JsonObject } from "../../../model/values/json.ts"
import { CopyButton } from "../components/copy-button.tsx"
import { Pill } from "../design/pill.tsx"
import { Who } from "./asked.tsx"
import { contextAfter, useRead } from "./entries.ts"
import { actorsOfGroup } from "./group-actors.ts"
import { hueClass } from "./kind-square.tsx"
import { actorOfRow } from "./navigation.ts"
import { entryAt } from "./sources/record-source.ts"
import type { OpenRun } from "./sources/record-source.ts"
import type { Scene } from "./scene.ts"

export function Subject(scene: Scene): JSX.Element {
  const { run, view } = scene
  const address = run.index.actors[view.actor]?.address ?? ""
  return (
    <section id="subject" aria-label="The chosen group">
      {address === "" ? (
        <p class="quiet">No actor is chosen.</p>
      ) : (
        <Name run={run} address={groupOf(address)} />
      )}
      <Headline {...scene} />
      <dl class="answers">
        <States {...scene} />
        <WaitsFor {...scene} />
        <NextTimer {...scene} />
        <AskedByWhom {...scene} />
      </dl>
    </section>
  )
}

/** `Reservation · order 1187 · Bolt Robotics · res_h68…OBrs`; a record has no number of an order, but the scenario's name. */
function Name({ run, address }: { readonly run: OpenRun; readonly address: string }): JSX.Element {
  const kind = kindWords(kindOf(address))
  const { orderNumber = null, organization = null } = run.named ?? {}
  const group = run.index.groups.indexOf(address)
  const words = [
    `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`,
    eventSentBy(run.index, group) ?? "",
    orderNumber === null ? (nameOfGroup(run.index, group) ?? "") : `order ${orderNumber}`,
    organization ?? "",
  ].filter(Boolean)
  return (
    <p id="name" class="quiet" title={address}>
      {words.join(" · ")} · <span class="mono">{shortAddress(idOf(address))}</span>{" "}
      <CopyButton text={address}>Copy id</CopyButton>
    </p>
  )
}

function Headline(scene: Scene): JSX.Element {
  const { run, view } = scene
  const actors = actorsOfGroup(scene)
  const row = exceptionRow(run.index, view.row, actors)
  const exception = useRead(async () => {
    const entry = row === NONE ? null : await entryAt(run, row)
    return { row, sentence: entry === null ? null : exceptionSentence(entry) }
  }, [run, row])
  const root = actors.find((actor) => isRoot(run.index.actors[actor]?.address ?? "")) ?? actors[0] ?? NONE
  const step = root === NONE ? NONE : run.positions.stepAt(root, view.row)
  const { address = "" } = run.index.actors[root] ?? {}
  const state =
    step === NONE
      ? "It has not started yet."
      : stateSentence(address, statesText(run.index.values[at(run.index.stepValue, step)] ?? "null"))
  const sentence = exception !== null && exception.row === row ? exception.sentence : null
  const failure = failureWords(run.index, view.row, actors)
  return (
    <h2 id="headline">{sentence ?? (failure === null ? state : `${state.slice(0, -1)}: ${failure}.`)}</h2>
  )
}

function isRoot(address: string): boolean {
  return groupOf(address) === address
}

/** The active actors of the group. */
function States(scene: Scene): JSX.Element {
  const { run, view, go } = scene
  const { index, positions } = run
  const actors = actorsOfGroup(scene)
  const isBegun = actors.some((actor) => positions.stepAt(actor, view.row) !== NONE)
  const shown = actors.flatMap((actor) => {
    const step = positions.stepAt(actor, view.row)
    if (step === NONE || at(index.stepDone, step) === 1) return []
    return [{ actor, states: statesText(index.values[at(index.stepValue, step)] ?? "null") }]
  })
  return (
    <div>
      <dt>State</dt>
      <dd>
        {shown.length === 0 && (
          <span class="quiet">{isBegun ? "every actor has ended" : "not started yet"}</span>
        )}
        {shown.map(({ actor, states }) => {
          const one = index.actors[actor]
          return (
            <button
              key={actor}
              type="button"
              class={`state-pill ${hueClass(one)}`}
              aria-pressed={actor === view.actor}
              title={one?.address}
              onClick={() => go({ actor })}
            >
              <b>{one === undefined ? "" : partOf(one.address).replaceAll("-", " ")}</b> {states}
            </button>
          )
        })}
        <Flags run={run} steps={actors.map((actor) => positions.stepAt(actor, view.row))} />
      </dd>
    </div>
  )
}

/** What the values of the group's actors flag: `access_failed`. Cost: an entry for each actor. */
function Flags({ run, steps }: { readonly run: OpenRun; readonly steps: readonly number[] }): JSX.Element {
  const of = steps.join(" ")
  const read = useRead(async () => {
    const contexts = await Promise.all(steps.map((step) => contextAfter(run, step)))
    return { of, flags: new Set(contexts.flatMap((context) => flagsIn(context))) }
  }, [run, of])
  return (
    <>
      {[...(read?.of === of ? read.flags : [])].map((flag) => (
        <span key={flag} data-flag={flag}>
          <Pill tone="bad" icon="triangle-alert">
            {flag}
          </Pill>
        </span>
      ))}
    </>
  )
}

function flagsIn(context: JsonObject | null): readonly string[] {
  const flags = context?.["flags"]
  return Array.isArray(flags) ? flags.filter((flag) => typeof flag === "string") : []
}

/** Answers to calls, then the events from outside that the active states take. */
function WaitsFor(scene: Scene): JSX.Element {
  const { run, view, now } = scene
  const { head } = run.packed
  const calls = actorsOfGroup(scene).flatMap((actor) => run.positions.callsAt(actor, view.row))
  const awaited = awaitedIn(scene)
  const atAnyTime = [...new Set(awaited.flatMap((one) => one.atAnyTime))]
  const isWaiting = calls.length > 0 || awaited.some(({ next }) => next.length > 0)
  return (
    <div>
      <dt>Waits for</dt>
      <dd>
        {calls.map(({ actor, call, attempt, from }) => (
          <span key={`${actor} ${from}`} class="answer">
            <strong>
              the answer to {call.replaceAll("_", " ")}, attempt {attempt}
            </strong>
            <small>
              since {timeNear(head.clock0Ms + at(run.index.t, from), head.clock0Ms + now, head.zone)}, for{" "}
              {durationText(now - at(run.index.t, from))}
            </small>
          </span>
        ))}
        {awaited.map(
          ({ actor, part, next }) =>
            next.length > 0 && (
              <span key={actor} class="answer">
                <strong>
                  {part.replaceAll("-", " ")}: {eventWords(part, next)}
                </strong>
              </span>
            ),
        )}
        {!isWaiting && <strong>nothing from outside</strong>}
        {atAnyTime.length > 0 && <small>at any time: {eventWords("", atAnyTime)}</small>}
      </dd>
    </div>
  )
}

interface AwaitedByActor extends Awaited {
  readonly actor: number
  readonly part: string
}

/** Of the active actors of the group, the chosen one first. */
function awaitedIn(scene: Scene): readonly AwaitedByActor[] {
  const { run, view } = scene
  const { index, positions } = run
  const actors = actorsOfGroup(scene).toSorted(
    (a, b) => Number(b === view.actor) - Number(a === view.actor) || a - b,
  )
  return actors.flatMap((actor): readonly AwaitedByActor[] => {
    const { address = "", machine = null } = index.actors[actor] ?? {}
    const step = positions.stepAt(actor, view.row)
    const picture = run.chartOf(machine)
    if (step === NONE || at(index.stepDone, step) === 1 || picture === null) return []
    const active = activePaths(index.values[at(index.stepValue, step)] ?? "null")
    return [{ actor, part: partOf(address), ...awaitedBy(picture.chart, active) }]
  })
}

function NextTimer(scene: Scene): JSX.Element {
  const { run, view, now } = scene
  const { head } = run.packed
  const [timer, ...others] = actorsOfGroup(scene)
    .flatMap((actor) => run.positions.timersAt(actor, view.row))
    .toSorted((a, b) => a.due - b.due)
  if (timer === undefined)
    return (
      <div>
        <dt>Next timer</dt>
        <dd>
          <strong>none is armed</strong>
        </dd>
      </div>
    )
  const { address = "", machine = null } = run.index.actors[timer.actor] ?? {}
  const left = timer.due - now
  return (
    <div>
      <dt>Next timer</dt>
      <dd>
        <strong>
          {eventName(timer.id, machine).replace(/^after /, "")},{" "}
          {timeNear(head.clock0Ms + timer.due, head.clock0Ms + now, head.zone)}
        </strong>
        <small>
          {left < 0 ? `late by ${durationText(-left)}` : `in ${durationText(left)}`};{" "}
          {partOf(address).replaceAll("-", " ")}
          {others.length === 0 ? "" : `; ${others.length} more`}
        </small>
      </dd>
    </div>
  )
}

/** Who gave the command that led to the chosen actor's last step, and that command. */
function AskedByWhom({ run, view, go }: Scene): JSX.Element {
  const { index } = run
  const { head } = run.packed
  const step = view.actor === NONE ? NONE : run.positions.stepAt(view.actor, view.row)
  const row = causesOf(index, step === NONE ? view.row : at(index.stepRow, step)).at(-1) ?? view.row
  const actor = index.actors[at(index.to, row)]
  return (
    <div id="asked-by">
      <dt>Asked by</dt>
      <dd>
        <Who run={run} row={row} />
        <small>
          <button type="button" class="row-link" onClick={() => go({ row, actor: actorOfRow(run, row) })}>
            {rowLines(index, row, run.markByRow.get(row)).title}
          </button>
          {timeNear(head.clock0Ms + at(index.t, row), head.clock0Ms + at(index.t, view.row), head.zone)},
          entry {at(index.s, row)}
          {actor === undefined ? "" : `, to the ${machineKind(actor).replaceAll("-", " ")}`}
        </small>
      </dd>
    </div>
  )
}
