/** The course of a run as a table: the same as the lanes, to read. */

import type { JSX } from "preact"
import { useEffect, useMemo, useRef } from "preact/hooks"
import { sentWords } from "./lanes.tsx"
import type { CourseMark, OpenedRun } from "./opened-run.ts"
import { clockOf } from "./time-scale.ts"

interface TableRow extends CourseMark {
  readonly who: string
  readonly what: string
  readonly isBad: boolean
}

interface CourseTableProps {
  readonly run: OpenedRun
  /** The playhead; ms since the run's start. */
  readonly t: number
  readonly onMove: (mark: CourseMark) => void
}

export function CourseTable({ run, t: now, onMove }: CourseTableProps): JSX.Element {
  const clock = clockOf(run.shown.startMs, run.shown.timeZone)
  const rows = useMemo(() => rowsOf(run), [run])
  const box = useRef<HTMLDivElement>(null)
  const current = rows.findLastIndex(({ t }) => t <= now)
  useEffect(() => {
    if (box.current !== null) showCurrent(box.current)
  }, [current])
  return (
    <div
      ref={box}
      class="course-table scroll"
      role="region"
      tabIndex={0}
      aria-label="Course of the run as a table"
    >
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ who, what, isBad, ...mark }, at) => (
            <tr key={at} aria-current={at === current ? "true" : undefined}>
              <td>
                <button type="button" class="button quiet small" onClick={() => onMove(mark)}>
                  {clock(mark.t)}
                </button>
              </td>
              <td>{who}</td>
              <td class={isBad ? "bad" : ""}>
                {isBad ? "✕ " : ""}
                {what}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Scrolls the table alone: the page stays, with the buttons that step from row to row. */
function showCurrent(box: HTMLElement): void {
  const row = box.querySelector("tr[aria-current]")?.getBoundingClientRect()
  const head = box.querySelector("thead")?.getBoundingClientRect()
  if (row === undefined || head === undefined) return
  const { top, bottom } = box.getBoundingClientRect()
  const above = top + head.height - row.top
  const below = row.bottom - bottom
  if (above > 0) box.scrollTop -= above
  else if (below > 0) box.scrollTop += below
}

function rowsOf({ shown, sent }: OpenedRun): readonly TableRow[] {
  const { lanes, commands, expectations, messages } = shown
  return [
    ...commands.map(({ t, line, words, isFailed }) => ({
      t,
      who: `line ${line}`,
      what: words,
      isBad: isFailed,
    })),
    ...lanes.flatMap(({ address, name, stays }) =>
      stays.map(({ from, states }) => ({ t: from, address, who: name, what: states, isBad: false })),
    ),
    ...messages.map((message) => ({
      t: message.t,
      row: sent.get(message)?.sent,
      who: message.kind,
      what: sentWords(message),
      isBad: !message.isAccepted,
    })),
    ...expectations.map(({ t, line, words, isHeld }) => ({
      t,
      who: `line ${line}`,
      what: `${isHeld ? "held" : "failed"}: ${words}`,
      isBad: !isHeld,
    })),
  ].toSorted((a, b) => a.t - b.t)
}
