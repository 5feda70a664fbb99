/** The course of a run as a table: the same as the lanes, to read. */

import type { JSX } from "preact"
import type { FileRun } from "./contract.ts"
import { sentWords } from "./lanes.tsx"
import { clockOf } from "./time-scale.ts"

interface TableRow {
  readonly t: number
  readonly who: string
  readonly what: string
  readonly isBad: boolean
}

export function CourseTable({
  run,
  onMove,
}: {
  readonly run: FileRun
  readonly onMove: (t: number) => void
}): JSX.Element {
  const clock = clockOf(run.startMs, run.timeZone)
  return (
    <div class="course-table scroll" role="region" tabIndex={0} aria-label="Course of the run as a table">
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(run).map(({ t, who, what, isBad }, at) => (
            <tr key={at}>
              <td>
                <button type="button" class="button quiet small" onClick={() => onMove(t)}>
                  {clock(t)}
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

function rowsOf({ lanes, commands, expectations, messages }: FileRun): readonly TableRow[] {
  return [
    ...commands.map(({ t, line, words, isFailed }) => ({
      t,
      who: `line ${line}`,
      what: words,
      isBad: isFailed,
    })),
    ...lanes.flatMap(({ name, stays }) =>
      stays.map(({ from, states }) => ({ t: from, who: name, what: states, isBad: false })),
    ),
    ...messages.map((message) => ({
      t: message.t,
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
