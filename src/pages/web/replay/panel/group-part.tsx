/** The picked actor in the service: its machine with the state lit, and the journal of its group up to now. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { NONE, at, rowCount } from "../../../inspection/run-index.ts"
import { rowLines } from "../../../inspection/row-text.ts"
import { eventName } from "../../../inspection/event-name.ts"
import { Button } from "../../design/button.tsx"
import { LitMachine } from "../../inspector/chart/lit-machine.tsx"
import type { OpenRun } from "../../inspector/sources/record-source.ts"
import { wholeRecord } from "../../inspector/sources/whole-record.ts"
import type { Player } from "../player.ts"
import type { Scene } from "../seen/scene.ts"
import { dwell } from "../seen/times.ts"
import { openInInspector } from "../../sent-record.ts"
import { Part } from "./part.tsx"
import { WhyPart } from "./why-part.tsx"
import type { Journals } from "./why-part.tsx"

/** Where the service has an actor. */
export interface Served {
  readonly group: string
  /** Of the actor whose machine is shown. */
  readonly address: string
}

/** A robot and a runner are parts of their reservation; null for a runner without an order. */
export function servedAt(scene: Scene, actor: number, ms: number): Served | null {
  const known = scene.actors[actor]
  if (known === undefined) return null
  if (known.kind === "order" || known.kind === "vehicle")
    return known.address === null ? null : { group: known.address, address: known.address }
  const order =
    known.kind === "runner" ? scene.course.orderAt(actor, ms) : scene.orderNumbered(known.order?.number)
  const group = order === null ? null : (scene.actors[order]?.address ?? null)
  if (group === null) return null
  return { group, address: `${group}/${known.kind === "runner" ? "runner-task" : "bot"}` }
}

interface GroupPartProps {
  readonly scene: Scene
  readonly player: Player
  readonly ms: number
  readonly served: Served
  readonly journals: Journals
  readonly inspector: string | null
  readonly onPick: (actor: number) => void
}

export function GroupPart(props: GroupPartProps): JSX.Element {
  const { scene, player, ms, served, journals, onPick } = props
  const { title } = scene.head
  const record = journals.recordOf(served.group)
  const open = useMemo(() => (record === null ? null : wholeRecord(record, title).open), [record, title])
  if (open === null)
    return (
      <Part title="Journal">
        <p class="quiet">The journal is read.</p>
      </Part>
    )
  const { index, positions } = open
  const hasBegun = rowCount(index) > 0 && at(index.t, 0) <= ms
  const row = hasBegun ? positions.rowAtTime(ms) : NONE
  const lit = index.actors.findIndex(({ address }) => address === served.address)
  const step = lit === -1 || !hasBegun ? NONE : positions.stepAt(lit, row)
  return (
    <>
      {step !== NONE && (
        <section class="actor-part lit">
          <LitMachine open={open} row={row} actor={lit} t={Math.round(ms)} />
          <NextTimer open={open} row={row} actor={lit} ms={ms} />
        </section>
      )}
      {step !== NONE && (
        <WhyPart
          {...{ scene, player, journals, onPick, open }}
          group={served.group}
          row={at(index.stepRow, step)}
        />
      )}
      <Part
        title="Journal"
        aside={
          <span class="quiet">
            {row === NONE ? "not begun" : `entry ${at(index.s, row)} of ${index.s.at(-1) ?? 0}`}
          </span>
        }
      >
        <p class="mono quiet address">{served.group}</p>
        <Ways {...props} {...{ open, row }} record={record ?? ""} />
        <ol class="journal" tabIndex={0} aria-label="Entries up to now, newest first">
          {[...index.s.keys()]
            .slice(Math.max(0, row + 1 - ROWS_MAX), row + 1)
            .toReversed()
            .map((one) => (
              <li key={one} class={one === row ? "newest" : ""}>
                <button
                  type="button"
                  class="as-link mono"
                  title="Move the playhead here"
                  onClick={() => player.jump(at(index.t, one))}
                >
                  {scene.clock.second(at(index.t, one))}
                </button>
                <span>{rowLines(index, one, undefined).title}</span>
                <span class="quiet">entry {at(index.s, one)}</span>
              </li>
            ))}
        </ol>
      </Part>
    </>
  )
}

const ROWS_MAX = 60

interface WaysProps extends Pick<GroupPartProps, "inspector" | "served"> {
  readonly open: OpenRun
  /** NONE before its first entry. */
  readonly row: number
  readonly record: string
}

/** To the inspector at this entry, and the journal as a file. */
function Ways({ open, row, record, served, inspector }: WaysProps): JSX.Element {
  const file = `${served.group.replaceAll("/", "-")}.ndjson`
  const entry = row === NONE ? "" : `at=${at(open.index.s, row)}&`
  return (
    <p class="ways">
      {inspector !== null && (
        <Button
          isSmall
          icon="arrow-up-right"
          onPress={() =>
            openInInspector(inspector, {
              file,
              text: record,
              hash: `#${entry}actor=${encodeURIComponent(served.address)}`,
            })
          }
        >
          Open in the inspector
        </Button>
      )}
      <a
        class="button small"
        download={file}
        href={`data:application/x-ndjson;charset=utf-8,${encodeURIComponent(record)}`}
      >
        Save the journal
      </a>
    </p>
  )
}

interface NextTimerProps {
  readonly open: OpenRun
  readonly row: number
  readonly actor: number
  readonly ms: number
}

function NextTimer({ open, row, actor, ms }: NextTimerProps): JSX.Element | null {
  const [next] = open.positions.timersAt(actor, row)
  if (next === undefined) return null
  return (
    <p class="quiet">
      Its next timer,{" "}
      <span class="mono">{eventName(next.id, open.index.actors[actor]?.machine ?? null)}</span>, is due in{" "}
      {dwell(Math.max(0, next.due - ms))}.
    </p>
  )
}
