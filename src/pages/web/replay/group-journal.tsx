/** The journal of a group at a moment: the machine of one of its actors, lit, and its entries up to the moment and after it. */

import type { JSX } from "preact"
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import { durationText } from "../../inspection/durations.ts"
import { rowLines } from "../../inspection/row-text.ts"
import { NONE, at, rowCount } from "../../inspection/run-index.ts"
import { preciseTimeOfDay } from "../../inspection/shown-value.ts"
import { LitMachine } from "../inspector/chart/lit-machine.tsx"
import type { OpenRun } from "../inspector/sources/record-source.ts"
import { wholeRecord } from "../inspector/sources/whole-record.ts"

interface GroupJournalProps {
  /** A record of this group alone. */
  readonly record: string
  /** Whose machine is shown; a group without it shows its first actor. */
  readonly actor: string
  /** The playhead; ms since the start of the run. */
  readonly t: number
  /** Moves the playhead to an entry. */
  readonly onMove: (t: number) => void
}

export function GroupJournal({ record, actor, t, onMove }: GroupJournalProps): JSX.Element {
  const open = useMemo(() => wholeRecord(record, "replay").open, [record])
  const { index, positions } = open
  const hasBegun = rowCount(index) > 0 && at(index.t, 0) <= t
  const row = positions.rowAtTime(t)
  const shown = Math.max(
    0,
    index.actors.findIndex(({ address }) => address === actor),
  )
  return (
    <>
      {hasBegun ? (
        <LitMachine open={open} row={row} actor={shown} t={t} />
      ) : (
        <p class="quiet">It has not begun.</p>
      )}
      <section aria-label="Journal">
        <h3>
          Journal{" "}
          <span class="quiet">
            {hasBegun ? row + 1 : 0} of {rowCount(index)} entries
          </span>
        </h3>
        {hasBegun && <NextTimer open={open} row={row} actor={shown} t={t} />}
        <Entries open={open} row={hasBegun ? row : NONE} onMove={onMove} />
      </section>
    </>
  )
}

interface NextTimerProps {
  readonly open: OpenRun
  readonly row: number
  readonly actor: number
  readonly t: number
}

function NextTimer({ open, row, actor, t }: NextTimerProps): JSX.Element | null {
  const [next] = open.positions.timersAt(actor, row)
  if (next === undefined) return null
  return (
    <p class="quiet">
      Its next timer, <span class="mono">{next.id}</span>, is due in {durationText(Math.max(0, next.due - t))}
      .
    </p>
  )
}

interface EntriesProps {
  readonly open: OpenRun
  /** The last entry up to the playhead; NONE before the first. */
  readonly row: number
  readonly onMove: GroupJournalProps["onMove"]
}

function Entries({ open, row, onMove }: EntriesProps): JSX.Element {
  const { index, packed } = open
  const list = useRef<HTMLOListElement>(null)
  useLayoutEffect(() => {
    const [box, now] = [list.current, list.current?.children[Math.max(0, row)]]
    // Scrolls the list alone: the page stays where it is.
    if (box !== null && now instanceof HTMLElement) box.scrollTop = now.offsetTop - box.clientHeight / 2
  }, [row, open])
  return (
    <ol class="entries scroll" tabIndex={0} aria-label="Entries" ref={list}>
      {[...index.s.keys()].map((one) => (
        <li key={one} class={one > row ? "later" : ""} aria-current={one === row ? "step" : undefined}>
          <button type="button" onClick={() => onMove(at(index.t, one))}>
            <span class="mono">
              {preciseTimeOfDay(packed.head.clock0Ms + at(index.t, one), packed.head.zone)}
            </span>
            <span>{rowLines(index, one, open.markByRow.get(one)).title}</span>
          </button>
        </li>
      ))}
    </ol>
  )
}
