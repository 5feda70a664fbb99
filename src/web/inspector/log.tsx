/** All entries and marks of the run that match the filter; those after the playhead are dimmed. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { clockText, durationText } from "../../inspection/durations.ts"
import { filterOf, rowsPassing } from "../../inspection/filter.ts"
import { actorLabel, rowText } from "../../inspection/row-text.ts"
import { NONE, at, rowCount } from "../../inspection/run-index.ts"
import { Panel } from "../components/panel.tsx"
import { VirtualList } from "../components/virtual-list.tsx"
import { actorOfRow, isFailure } from "./navigation.ts"
import type { OpenRun } from "./record-source.ts"
import type { Scene } from "./scene.ts"

/** A wait that is shown beside the entry that ended it. Unit: ms. */
const QUIET_MS = 60_000

export function Log({ run, view, s, go }: Scene): JSX.Element {
  const { index, markByRow } = run
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
        placeholder="actor:bot/* event:call.* -state:open.* is:refused"
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
        rowOf={(item) => {
          const row = rows[item] ?? 0
          const actor = at(index.to, row)
          const wait = row === 0 ? 0 : at(index.t, row) - at(index.t, row - 1)
          return (
            <>
              <span class="col-s">#{at(index.s, row)}</span>
              <span class="col-t">{clockText(at(index.t, row))}</span>
              <span class="col-actor">
                {actor === NONE ? "" : actorLabel(index.actors[actor]?.address ?? "")}
              </span>
              <span class="col-what">
                {wait >= QUIET_MS && <em>after {durationText(wait)} </em>}
                {sign(run, row)} {rowText(index, row, markByRow.get(row))}
                {srcText(run, row)}
              </span>
            </>
          )
        }}
      />
    </Panel>
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
    at(index.refused, row) === NONE ? "" : "is-refused",
  ].join(" ")
}

function sign({ index, markByRow }: OpenRun, row: number): string {
  const mark = markByRow.get(row)
  if (mark !== undefined) return isFailure(mark.level) ? "✖" : mark.level === "pass" ? "✓" : "◆"
  return at(index.refused, row) === NONE ? "▸" : "✖"
}

function srcText({ markByRow }: OpenRun, row: number): string {
  const src = markByRow.get(row)?.src
  return src === undefined || src === null ? "" : ` (${src})`
}
