/** Two runs entry by entry, aligned by what happened in each group, so that an entry in between moves no other pair. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { courseLabel, coursesOf, groupsByOrder } from "../../inspection/courses.ts"
import type { Courses, Pair, Side } from "../../inspection/courses.ts"
import { lineAfter } from "../../inspection/forks.ts"
import type { Comparison as Compared, PackedRecord } from "../../inspection/packed.ts"
import { timeOfDay } from "../../inspection/shown-value.ts"
import { Dialog } from "../components/dialog.tsx"
import { Choice } from "../components/toggle.tsx"
import { useRead } from "./entries.ts"
import { openRun } from "./sources/record-source.ts"
import type { OpenRun } from "./sources/record-source.ts"

/** Two runs that part somewhere. */
export interface PartingProps {
  readonly record: PackedRecord
  readonly compared: Compared
  /** File names of both. */
  readonly names: readonly string[]
  readonly onGo: (place: { readonly run: number; readonly row: number }) => void
}

/** Pairs that are listed at once. */
const LISTED_MAX = 500

export function SideBySide(props: PartingProps): JSX.Element {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <p>
        <button type="button" onClick={() => setIsOpen(true)}>
          Compare side by side
        </button>
      </p>
      <Dialog title="Side by side" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        {isOpen && <Aligned {...props} onGo={(place) => (setIsOpen(false), props.onGo(place))} />}
      </Dialog>
    </>
  )
}

interface Opened {
  readonly runs: readonly [OpenRun, OpenRun]
  readonly courses: Courses
}

/** The entries of both runs in pairs; of a fork only those after its moment. */
export function Aligned({ record, compared, names, onGo }: PartingProps): JSX.Element {
  const [shown, setShown] = useState<"all" | "different">("different")
  const opened = useRead(() => openedPair(record, compared), [record, compared])
  if (opened === null) return <p role="status">Aligning both runs…</p>
  const { pairs, endings } = opened.courses
  const listed = shown === "all" ? pairs : pairs.filter(({ is }) => is !== "same")
  const ends = endings.filter(({ first, second }) => first !== second)
  const words = wordsOf(names)
  const numbers = [compared.first, compared.second] as const
  return (
    <>
      <div class="bar">
        <Choice
          label="Which entries"
          value={shown}
          options={[
            ["different", "Differences"],
            ["all", "All"],
          ]}
          onChoose={setShown}
        />
        <span id="likeness">{likenessText(pairs, words)}</span>
      </div>
      {ends.map(({ actor, first, second }) => (
        <p key={actor}>
          {courseLabel(actor)} ends as <del>{first ?? "absent"}</del> → <ins>{second ?? "absent"}</ins>
        </p>
      ))}
      <table id="pairs">
        <thead>
          <tr>
            <th scope="col">Difference</th>
            <th scope="col">Actor</th>
            <th scope="col">{names[0]}</th>
            <th scope="col">{names[1]}</th>
          </tr>
        </thead>
        <tbody>
          {listed.slice(0, LISTED_MAX).map((pair) => (
            <tr key={`${pair.first?.s} ${pair.second?.s}`} class={`is-${pair.is}`}>
              <th scope="row">{words[pair.is]}</th>
              <td class="mono">{courseLabel(pair.to)}</td>
              {[pair.first, pair.second].map((side, which) => (
                <td key={which}>
                  {side !== null && (
                    <Entry
                      side={side}
                      run={opened.runs[which as 0 | 1]}
                      onGo={(row) => onGo({ run: numbers[which as 0 | 1], row })}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {listed.length > LISTED_MAX && <p class="quiet">and {listed.length - LISTED_MAX} more</p>}
    </>
  )
}

type Words = Readonly<Record<Pair["is"], string>>

function wordsOf(names: readonly string[]): Words {
  return {
    same: "same",
    moved: "other time",
    changed: "other outcome",
    first: `only in ${names[0]}`,
    second: `only in ${names[1]}`,
  }
}

async function openedPair(
  record: PartingProps["record"],
  { first, second, fork }: PartingProps["compared"],
): Promise<Opened> {
  const [one, other] = await Promise.all([openRun(record, first), openRun(record, second)])
  // The lines of a run begin with number 0.
  const afterIn = ({ index }: OpenRun): number => (fork === null ? -1 : lineAfter(index, fork.entries))
  const courses = coursesOf(
    { run: one, after: afterIn(one) },
    { run: other, after: afterIn(other), nameOf: groupsByOrder(one.index, other.index) },
  )
  return { runs: [one, other], courses }
}

function likenessText(pairs: readonly Pair[], words: Words): string {
  const count = (is: Pair["is"]): number => pairs.filter((pair) => pair.is === is).length
  return (Object.keys(words) as Pair["is"][]).map((is) => `${count(is)} ${words[is]}`).join(", ")
}

interface EntryProps {
  readonly side: Side
  readonly run: OpenRun
  readonly onGo: (row: number) => void
}

function Entry({ side, run, onGo }: EntryProps): JSX.Element {
  const { head } = run.packed
  const row = run.positions.rowOfLine(side.s) ?? 0
  return (
    <button type="button" class="row-link" onClick={() => onGo(row)}>
      {side.s} · {timeOfDay(head.clock0Ms + side.t, head.zone)} · {side.text}
    </button>
  )
}
