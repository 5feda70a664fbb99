/** Why the picked actor took its last step: the causes, nearest first, through the journals of other groups back to what came from outside. */

import type { JSX } from "preact"
import { useEffect, useMemo } from "preact/hooks"
import { kindOf } from "../../../../model/address.ts"
import { causesOf } from "../../../inspection/causes.ts"
import { rowLines } from "../../../inspection/row-text.ts"
import { ELSEWHERE, at, rowCount } from "../../../inspection/run-index.ts"
import { useRead } from "../../inspector/entries.ts"
import { entryAt } from "../../inspector/sources/record-source.ts"
import type { OpenRun } from "../../inspector/sources/record-source.ts"
import { wholeRecord } from "../../inspector/sources/whole-record.ts"
import type { Player } from "../player.ts"
import { orderName, shortName } from "../seen/actor-words.ts"
import type { Scene } from "../seen/scene.ts"
import { Part } from "./part.tsx"

/** Journals of the run, which the worker makes on demand. */
export interface Journals {
  /** A record of a group alone; null before it has arrived. */
  readonly recordOf: (group: string) => string | null
  readonly askJournal: (group: string) => void
}

interface WhyProps {
  readonly scene: Scene
  readonly player: Player
  readonly journals: Journals
  readonly onPick: (actor: number) => void
}

interface WhyPartProps extends WhyProps {
  readonly open: OpenRun
  readonly group: string
  /** The last step of the actor. */
  readonly row: number
}

export function WhyPart(props: WhyPartProps): JSX.Element {
  return (
    <Part title="Why" aside={<span class="quiet">its last step, back to what came from outside</span>}>
      <div class="why-chain">
        <Causes {...props} depth={0} />
      </div>
    </Part>
  )
}

/** Longer chains than these of groups do not occur; a journal that names itself as its cause would not end. */
const GROUPS_MAX = 12

interface CausesProps extends WhyPartProps {
  readonly depth: number
}

function Causes(props: CausesProps): JSX.Element {
  const { open, group, row, depth, scene, player, onPick } = props
  const chain = causesOf(open.index, row)
  const first = chain.at(-1) ?? row
  const isElsewhere = at(open.index.cause, first) === ELSEWHERE
  const entry = useRead(() => entryAt(open, first), [open, first])
  const cause = isElsewhere ? (entry?.cause ?? null) : null
  return (
    <>
      <p class="quiet">
        <GroupName {...{ scene, group, onPick }} />
      </p>
      <ol class="journal whole">
        {chain.map((one) => (
          <li key={one}>
            <button
              type="button"
              class="as-link mono"
              title="Move the playhead here"
              onClick={() => player.jump(at(open.index.t, one))}
            >
              {scene.clock.second(at(open.index.t, one))}
            </button>
            <span>{rowLines(open.index, one, undefined).title}</span>
            <span class="quiet">entry {at(open.index.s, one)}</span>
          </li>
        ))}
      </ol>
      {!isElsewhere && <p class="quiet">A command from outside began it.</p>}
      {cause !== null && depth < GROUPS_MAX && (
        <CauseElsewhere {...props} group={cause[0]} revision={cause[1]} />
      )}
    </>
  )
}

/** The journal of the group in which the cause is. */
function CauseElsewhere(
  props: Omit<CausesProps, "open" | "row"> & { readonly revision: number },
): JSX.Element | null {
  const { group, revision, journals, scene, depth } = props
  const record = journals.recordOf(group)
  useEffect(() => {
    if (record === null) journals.askJournal(group)
  }, [group, record])
  const { title } = scene.head
  const open = useMemo(() => (record === null ? null : wholeRecord(record, title).open), [record, title])
  if (open === null)
    return (
      <p class="quiet" role="status">
        The journal of <span class="mono">{group}</span> is read.
      </p>
    )
  const row = Array.from({ length: rowCount(open.index) }, (_, one) => one).find(
    (one) => at(open.index.revision, one) === revision,
  )
  if (row === undefined)
    return (
      <p class="quiet">
        Entry {revision} of <span class="mono">{group}</span> led to it.
      </p>
    )
  return <Causes {...props} open={open} row={row} depth={depth + 1} />
}

function GroupName({
  scene,
  group,
  onPick,
}: Pick<WhyProps, "onPick" | "scene"> & { readonly group: string }): JSX.Element {
  const actor = scene.actors.findIndex(({ address }) => address === group)
  const kind = kindOf(group).replaceAll("-", " ")
  const order = scene.actors[actor]?.order?.number
  if (actor === -1)
    return (
      <>
        {kind} <span class="mono">{group.slice(group.indexOf("/") + 1)}</span>
      </>
    )
  return (
    <>
      {kind}{" "}
      <button type="button" class="as-link" title="Pick it" onClick={() => onPick(actor)}>
        {order === undefined ? shortName(scene.actors[actor]?.name ?? "") : orderName(order)}
      </button>
    </>
  )
}
