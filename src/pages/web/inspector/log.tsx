/** All entries and marks of the run that match the filter; those after the playhead are dimmed. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { hasFailed } from "../../inspection/attempts.ts"
import { durationText } from "../../inspection/durations.ts"
import { filterOf, rowsPassing } from "../../inspection/filter.ts"
import { rowLines } from "../../inspection/row-text.ts"
import { at, rowCount } from "../../inspection/run-index.ts"
import { timeNear } from "../../inspection/shown-value.ts"
import { Panel } from "../components/panel.tsx"
import { VirtualList } from "../components/virtual-list.tsx"
import { KindSquare } from "./kind-square.tsx"
import { actorOfRow, isFailure } from "./navigation.ts"
import { useIsOneColumn } from "./one-column.ts"
import type { OpenRun } from "./sources/record-source.ts"
import type { Scene } from "./scene.ts"
import { Because } from "./why.tsx"

/** A wait that is shown beside the entry that ended it. Unit: ms. */
const QUIET_MS = 60_000
/** px */
const ROW_HEIGHT = 40

export function Log(scene: Scene): JSX.Element {
  const { run, view, s, go } = scene
  const isOneColumn = useIsOneColumn()
  const { index } = run
  const filter = useMemo(() => filterOf(view.filter), [view.filter])
  const rows = useMemo(() => rowsPassing(index, filter), [index, filter])
  const chosen = lastUpTo(rows, view.row)
  const tools = (
    <>
      <input
        id="filter"
        type="search"
        class="grow mono"
        aria-label="Filter of the log"
        placeholder="500 actor:bot/* is:refused"
        value={view.filter}
        onInput={(event) => go({ filter: event.currentTarget.value })}
        {...(filter.problem === null ? {} : { "aria-invalid": true, "aria-describedby": "filter-problem" })}
      />
      <span id="shown">
        {rows.length} of {rowCount(index)}
      </span>
    </>
  )
  return (
    <Panel id="log" title="Log" s={s} tools={tools}>
      {filter.problem !== null && (
        <p class="banner" id="filter-problem">
          {filter.problem}
        </p>
      )}
      <VirtualList
        id="row"
        label="Entries and marks"
        count={rows.length}
        chosen={chosen}
        onChoose={(item) => {
          const row = rows[item] ?? view.row
          go({ row, actor: actorOfRow(run, row), isPlaying: false })
        }}
        classOf={(item) => classOf(run, rows[item] ?? 0, view.row)}
        rowHeight={ROW_HEIGHT}
        rowOf={(item) => <Row run={run} row={rows[item] ?? 0} playhead={view.row} />}
        {...(isOneColumn && rows[chosen] === view.row ? { below: <Because {...scene} /> } : {})}
      />
    </Panel>
  )
}

interface RowProps {
  readonly run: OpenRun
  readonly row: number
  /** The row of the playhead: times of its day have no date. */
  readonly playhead: number
}

/** Two lines: what happened and when; to whom, with which effect. */
function Row({ run, row, playhead }: RowProps): JSX.Element {
  const { index, markByRow } = run
  const { clock0Ms, zone } = run.packed.head
  const mark = markByRow.get(row)
  const { title, detail } = rowLines(index, row, mark)
  const wait = row === 0 ? 0 : at(index.t, row) - at(index.t, row - 1)
  return (
    <>
      <span class="col-s">{at(index.s, row)}</span>
      {mark === undefined ? (
        <KindSquare actor={index.actors[at(index.to, row)]} />
      ) : (
        <span class="mark-square" />
      )}
      <span class="col-what">
        <span class="first-line">
          <span class="title" title={title}>
            {sign(run, row)}
            {title}
          </span>
          <span class="col-t">
            {timeNear(clock0Ms + at(index.t, row), clock0Ms + at(index.t, playhead), zone)}
          </span>
        </span>
        <span class="detail" title={detail}>
          {wait >= QUIET_MS && <em>after {durationText(wait)} · </em>}
          {detail}
        </span>
      </span>
    </>
  )
}

/** The last of ascending rows that is not after the playhead; -1 if there is none. */
function lastUpTo(rows: readonly number[], row: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle] ?? 0) <= row) low = middle + 1
    else high = middle
  }
  return low - 1
}

function classOf({ index, markByRow }: OpenRun, row: number, playhead: number): string {
  const mark = markByRow.get(row)
  return [
    row > playhead ? "is-later" : "",
    mark === undefined ? "" : "is-mark",
    mark !== undefined && isFailure(mark.level) ? "is-failure" : "",
    hasFailed(index, row) ? "is-refused" : "",
  ].join(" ")
}

/** A failure or a mark. */
function sign({ index, markByRow }: OpenRun, row: number): string {
  const mark = markByRow.get(row)
  if (mark !== undefined) return isFailure(mark.level) ? "✕ " : mark.level === "pass" ? "✓ " : "◆ "
  return hasFailed(index, row) ? "✕ " : ""
}
