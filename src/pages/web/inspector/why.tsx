/** Why the selected actor took its last step: the causes, nearest first, back to what came from outside. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { hasFailed } from "../../inspection/attempts.ts"
import { causesOf } from "../../inspection/causes.ts"
import { kindWords, machineKind } from "../../inspection/kinds.ts"
import { nameOfGroup } from "../../inspection/group-names.ts"
import { rowLines, shortAddress } from "../../inspection/row-text.ts"
import { ELSEWHERE, NONE, at } from "../../inspection/run-index.ts"
import { markedPlace, placesOf, stepBehind } from "../../inspection/source-places.ts"
import { timeNear } from "../../inspection/shown-value.ts"
import { groupOf, idOf, partOf } from "../../../model/address.ts"
import { actorMomentOf } from "./actor-moment.ts"
import { Asked, Who } from "./asked.tsx"
import { useRead } from "./entries.ts"
import { KindSquare } from "./kind-square.tsx"
import { actorOfRow } from "./navigation.ts"
import { entryAt } from "./sources/record-source.ts"
import type { OpenRun } from "./sources/record-source.ts"
import type { Scene } from "./scene.ts"
import { Source, Sources } from "./source.tsx"

/**
 * The chain of causes of the selected actor's last step; without an actor, or before its start, that of the playhead's
 * entry. Causes in a row that belong to the same group stand under its name.
 */
export function Why(scene: Scene): JSX.Element {
  const { run, view } = scene
  const step = view.actor === NONE ? NONE : run.positions.stepAt(view.actor, view.row)
  const of = step === NONE ? view.row : at(run.index.stepRow, step)
  const chain = causesOf(run.index, of)
  const first = chain.at(-1) ?? of
  const isElsewhere = at(run.index.cause, first) === ELSEWHERE
  const whose = step === NONE ? undefined : run.index.actors[view.actor]
  return (
    <section aria-labelledby="why-title" id="why" data-row={of}>
      <div class="bar">
        <h3 id="why-title">
          {whose === undefined ? "Why" : `Why: ${partOf(whose.address).replaceAll("-", " ")}`}
        </h3>
        <span class="grow" />
        <span class="quiet">entry {at(run.index.s, of)}, back to what came from outside</span>
      </div>
      {groupsIn(run, chain).map((rows) => (
        <CausesInGroup key={rows[0]} scene={scene} rows={rows} of={of} />
      ))}
      <Written scene={scene} row={of} />
      <p class="quiet">{isElsewhere ? <Elsewhere run={run} row={first} /> : beginning(run, first)}</p>
      <GivenBy run={run} row={first} />
      <Asked run={run} row={first} />
    </section>
  )
}

/** The causes of the playhead's entry without the entry itself, under its row in a page of one column. */
export function Because(scene: Scene): JSX.Element | null {
  const { run, view } = scene
  const chain = causesOf(run.index, view.row)
  const first = chain.at(-1) ?? view.row
  return (
    <section aria-label="Because" id="because">
      <p class="quiet">because</p>
      {groupsIn(run, chain.slice(1)).map((rows) => (
        <CausesInGroup key={rows[0]} scene={scene} rows={rows} of={view.row} />
      ))}
      {chain.length === 1 && <p>{beginning(run, first) || "Nothing before it is in this record."}</p>}
      {at(run.index.by, first) !== NONE && (
        <p class="written">
          <span class="quiet">asked by</span> <Who run={run} row={first} />
        </p>
      )}
    </section>
  )
}

/** Where the machine of the chosen actor has the transition that it took last. */
function Written({ scene, row }: { readonly scene: Scene; readonly row: number }): JSX.Element | null {
  const { run, view } = scene
  const picture = run.chartOf(run.index.actors[view.actor]?.machine ?? null)
  const fired = useMemo(() => {
    const moment = { actor: view.actor, row, now: at(run.index.t, row) }
    return picture === null ? null : actorMomentOf(run, moment, picture.chart).fired
  }, [run, view.actor, row, picture])
  const places = picture === null || fired === null ? [] : placesOf(picture, fired.edges)
  if (places.length === 0) return null
  return (
    <p class="written" id="why-source">
      <span class="quiet">{fired?.isCertain === false ? "decided by one of" : "decided by"}</span>{" "}
      <Sources places={places} />
    </p>
  )
}

/** The step of the scenario that gave the first command. */
function GivenBy({ run, row }: { readonly run: OpenRun; readonly row: number }): JSX.Element | null {
  const step = stepBehind(run.index, row)
  const place = markedPlace(step?.src ?? null)
  if (step === null || place === null) return null
  return (
    <p class="written" id="why-step">
      <span class="quiet">step</span> <b>{step.text}</b> <Source place={place} />
    </p>
  )
}

/** How the first cause came into the run. */
function beginning({ index }: OpenRun, row: number): string {
  const way = at(index.by, row)
  if (way === NONE) return "A step of the scenario."
  return way === 0 ? "A command from outside began it." : ""
}

/** Neighbours in the chain that belong to the same group, together. */
function groupsIn({ index }: OpenRun, chain: readonly number[]): readonly (readonly number[])[] {
  const groups: number[][] = []
  let last = NONE
  for (const row of chain) {
    const group = at(index.group, row)
    const open = groups.at(-1)
    if (open === undefined || group !== last) groups.push([row])
    else open.push(row)
    last = group
  }
  return groups
}

interface CausesProps {
  readonly scene: Scene
  readonly rows: readonly number[]
  /** The row whose causes are shown. */
  readonly of: number
}

function CausesInGroup({ scene, rows, of }: CausesProps): JSX.Element {
  const { run, go } = scene
  const { index, packed } = run
  const { clock0Ms, zone } = packed.head
  const actor = index.actors[at(index.to, rows[0] ?? 0)]
  return (
    <>
      {actor !== undefined && (
        <p class="cause-group" title={groupOf(actor.address)}>
          <KindSquare actor={actor} /> {kindWords(machineKind(actor))}{" "}
          <GroupName run={run} address={actor.address} />
        </p>
      )}
      <ol>
        {rows.map((row) => (
          <li key={row}>
            <button
              type="button"
              class={`cause ${row === of ? "is-now" : ""} ${hasFailed(index, row) ? "is-failed" : ""}`}
              onClick={() => go({ row, actor: actorOfRow(run, row), isPlaying: false })}
            >
              <span class="col-s">{at(index.s, row)}</span>
              <span class="col-what">{rowLines(index, row, run.markByRow.get(row)).title}</span>
              <span class="col-t">
                {timeNear(clock0Ms + at(index.t, row), clock0Ms + at(index.t, of), zone)}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </>
  )
}

/** The number of the order where it is known, or the name that the scenario gave; else the end of the id. */
function GroupName({ run, address }: Pick<Scene, "run"> & { readonly address: string }): JSX.Element {
  const order = run.named?.orderNumber ?? null
  if (order !== null) return <span class="quiet">order {order}</span>
  const name = nameOfGroup(run.index, run.index.groups.indexOf(groupOf(address)))
  if (name !== null) return <span class="quiet">{name}</span>
  return <span class="mono quiet">{shortAddress(idOf(address))}</span>
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
