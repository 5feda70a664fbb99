/**
 * All actors of the run by kind, with counts and their states at the playhead. A long list is folded until it is
 * filtered or opened.
 */

import type { JSX } from "preact"
import { useMemo, useState } from "preact/hooks"
import { Activities } from "../../inspection/activity.ts"
import type { Activity } from "../../inspection/activity.ts"
import type { ChartPicture } from "../../inspection/packed.ts"
import { nameOfActor } from "../../inspection/group-names.ts"
import { shortAddress } from "../../inspection/row-text.ts"
import { NONE, at } from "../../inspection/run-index.ts"
import type { RunIndex } from "../../inspection/run-index.ts"
import { activePaths, statesText } from "../../inspection/state-value.ts"
import { partOf } from "../../../model/address.ts"
import { Choice } from "../components/toggle.tsx"
import { Panel } from "../components/panel.tsx"
import type { OpenRun } from "./sources/record-source.ts"
import type { Scene } from "./scene.ts"

type Shown = "all" | "active" | "refused"

/** Rows of one kind that are listed at most; a longer list starts folded. */
const LISTED_MAX = 100

export function Actors(scene: Scene): JSX.Element {
  const { run, view, s } = scene
  const [find, setFind] = useState("")
  const [shown, setShown] = useState<Shown>("all")
  const kinds = useMemo(() => actorsByKind(run.index), [run.index])
  const refused = useMemo(() => refusedIn(run.index), [run.index])
  const activities = useMemo(() => activitiesOf(run), [run])
  const needle = find.trim()
  // Usually there is no filter, so no actor need be checked.
  const passes = needle === "" && shown === "all" ? null : passing
  function passing(actor: number): boolean {
    if (!(run.index.actors[actor]?.address ?? "").includes(needle)) return false
    if (shown === "active") return isActive(run, actor, view.row)
    return shown === "all" || (refused.get(actor) ?? Number.POSITIVE_INFINITY) <= view.row
  }
  return (
    <Panel id="actors" title="Actors" s={s}>
      <div class="bar">
        <input
          type="search"
          class="grow"
          placeholder="find an address"
          aria-label="Find actors"
          value={find}
          onInput={(event) => setFind(event.currentTarget.value)}
        />
        <Choice
          label="Which actors"
          value={shown}
          options={[
            ["all", "all"],
            ["active", "active"],
            ["refused", "refused"],
          ]}
          onChoose={setShown}
        />
      </div>
      <div class="scroll" role="region" aria-label="Actors by kind" tabIndex={0}>
        {[...kinds].map(([kind, actors]) => (
          <Kind
            key={kind}
            kind={kind}
            actors={actors}
            count={activities.at(kind, view.row)}
            passes={passes}
            isOpen={needle !== ""}
            scene={scene}
          />
        ))}
      </div>
    </Panel>
  )
}

interface KindProps {
  readonly kind: string
  readonly actors: readonly number[]
  readonly count: Activity
  /** Null lets all actors pass. */
  readonly passes: ((actor: number) => boolean) | null
  readonly isOpen: boolean
  readonly scene: Scene
}

function Kind({ kind, actors, count, passes, isOpen, scene }: KindProps): JSX.Element | null {
  const [isWanted, setIsWanted] = useState(actors.length <= LISTED_MAX)
  const found = passes === null ? actors : actors.filter(passes)
  if (found.length === 0) return null
  const isShown = isOpen || isWanted
  return (
    <details open={isShown} onToggle={(event) => setIsWanted(event.currentTarget.open)}>
      <summary>
        <b>{kind}</b>{" "}
        <span class="quiet">
          {count.active} active, {count.started} of {actors.length} started
        </span>
      </summary>
      {isShown && (
        <ul>
          {found.slice(0, LISTED_MAX).map((actor) => (
            <li key={actor}>
              <ActorButton actor={actor} scene={scene} />
            </li>
          ))}
        </ul>
      )}
      {isShown && found.length > LISTED_MAX && (
        <p class="quiet">{found.length - LISTED_MAX} more; find an address to narrow them</p>
      )}
    </details>
  )
}

function ActorButton({ actor, scene }: { readonly actor: number; readonly scene: Scene }): JSX.Element {
  const { run, view, go } = scene
  const { index } = run
  const address = index.actors[actor]?.address ?? ""
  const step = run.positions.stepAt(actor, view.row)
  const state = step === NONE ? "not started" : statesText(index.values[at(index.stepValue, step)] ?? "null")
  const changed = step !== NONE && at(index.stepRow, step) === view.row
  return (
    <button
      type="button"
      class="actor"
      aria-pressed={actor === view.actor}
      title={address}
      data-actor={address}
      data-state={state}
      onClick={() => go({ actor })}
    >
      <span>{nameOfActor(index, address) ?? shortAddress(address.split("/")[1] ?? "")}</span>
      <span class="state">
        {changed ? "● " : ""}
        {state}
      </span>
    </button>
  )
}

/** A kind is the name of the part inside its group, so that all bots are listed together. */
function actorsByKind(index: RunIndex): ReadonlyMap<string, readonly number[]> {
  const kinds = new Map<string, number[]>()
  for (const [actor, { address }] of index.actors.entries()) {
    const kind = partOf(address)
    const list = kinds.get(kind)
    if (list === undefined) kinds.set(kind, [actor])
    else list.push(actor)
  }
  return kinds
}

/** The first row in which each actor refused an input. */
function refusedIn(index: RunIndex): ReadonlyMap<number, number> {
  const rows = new Map<number, number>()
  for (const [row, code] of index.refused.entries()) {
    const actor = at(index.to, row)
    if (code !== NONE && !rows.has(actor)) rows.set(actor, row)
  }
  return rows
}

function activitiesOf(run: OpenRun): Activities {
  const { actors } = run.index
  return new Activities(
    run.index,
    (actor) => partOf(actors[actor]?.address ?? ""),
    (actor, value) => hasSettled(run, actor, value),
  )
}

/** True when the actor has started, and is neither at its end nor in a settled state of its chart. */
function isActive(run: OpenRun, actor: number, row: number): boolean {
  const step = run.positions.stepAt(actor, row)
  if (step === NONE || at(run.index.stepDone, step) === 1) return false
  return !hasSettled(run, actor, at(run.index.stepValue, step))
}

function hasSettled(run: OpenRun, actor: number, value: number): boolean {
  const chart = run.chartOf(run.index.actors[actor]?.machine ?? null)
  if (chart === null) return false
  const settled = settledIn(chart)
  return activePaths(run.index.values[value] ?? "null").some((path) => settled.includes(path))
}

const settledByChart = new WeakMap<ChartPicture, readonly string[]>()

function settledIn(picture: ChartPicture): readonly string[] {
  let paths = settledByChart.get(picture)
  if (paths === undefined) {
    paths = picture.chart.nodes.filter(({ tags }) => tags.includes("settled")).map(({ path }) => path)
    settledByChart.set(picture, paths)
  }
  return paths
}
