/** What differs from the run before of the same file. */

import type { JSX } from "preact"
import { useMemo, useState } from "preact/hooks"
import { courseLabel } from "../../inspection/courses.ts"
import type { Pair, Side } from "../../inspection/courses.ts"
import { Button } from "../design/button.tsx"
import { Dialog } from "../design/overlay.tsx"
import { textChange } from "./editor/text-change.ts"
import { differenceOf } from "./opened-run.ts"
import type { OpenedRun } from "./opened-run.ts"
import { clockOf } from "./time-scale.ts"

interface DifferenceProps {
  readonly before: OpenedRun | null
  readonly now: OpenedRun
  /** The texts that ran. */
  readonly texts: { readonly before: string; readonly now: string }
}

export function Difference({ before, now, texts }: DifferenceProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const courses = useMemo(() => (before === null ? null : differenceOf(before, now)), [before, now])
  if (courses === null)
    return <span class="quiet">A second run of this file shows here what differs from the first.</span>
  const different = courses.pairs.filter(({ is }) => is !== "same")
  const same = courses.pairs.length - different.length
  const change = textChange(texts.before, texts.now)
  const seed = before?.shown.seed
  const isOtherSeed = seed !== undefined && seed !== now.shown.seed
  const since = `Since the run before: ${change ?? (isOtherSeed ? `the seed was ${seed}` : "no line differs")}.`
  return (
    <>
      <span class="quiet" role="status">
        {different.length === 0
          ? `${since} Same ${same} entries.`
          : `${since} ${different.length} ${different.length === 1 ? "entry differs" : "entries differ"}, ${same} are the same.`}
      </span>
      <span class="grow" />
      {different.length > 0 && (
        <Button isSmall onPress={() => setOpen(true)}>
          Show both
        </Button>
      )}
      {isOpen && (
        <Dialog title="What differs from the run before" onClose={() => setOpen(false)}>
          <DifferenceTable pairs={different} run={now} />
          <div class="row">
            <Button onPress={() => setOpen(false)}>Close</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

const WORDS: Readonly<Record<Pair["is"], string>> = {
  changed: "another outcome",
  first: "only before",
  moved: "another time",
  same: "the same",
  second: "only now",
}

function DifferenceTable({
  pairs,
  run,
}: {
  readonly pairs: readonly Pair[]
  readonly run: OpenedRun
}): JSX.Element {
  const clock = clockOf(run.shown.startMs, run.shown.timeZone)
  const side = (one: Side | null): string => (one === null ? "–" : `${clock(one.t)} ${one.text}`)
  return (
    <div class="difference scroll" role="region" tabIndex={0} aria-label="Entries that differ">
      <table>
        <thead>
          <tr>
            <th scope="col">Actor</th>
            <th scope="col">Before</th>
            <th scope="col">Now</th>
            <th scope="col">How</th>
          </tr>
        </thead>
        <tbody>
          {pairs.map((pair, at) => (
            <tr key={at}>
              <td>{courseLabel(pair.to)}</td>
              <td>{side(pair.first)}</td>
              <td>{side(pair.second)}</td>
              <td>{WORDS[pair.is]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
