/** Two records side by side: where the runs at the same position diverge, and the differences of that entry. */

import type { JSX } from "preact"
import { changesOf, jsonText } from "../../inspection/difference.ts"
import type { ForkedAt } from "../../inspection/forks.ts"
import { withNames } from "../../inspection/made-names.ts"
import type { PackedRecord } from "../../inspection/packed.ts"
import { at } from "../../inspection/run-index.ts"
import { timeOfDay } from "../../inspection/shown-value.ts"
import type { Json } from "../../../model/values/json.ts"
import { useRead } from "./entries.ts"
import { openRun } from "./sources/record-source.ts"
import type { OpenRun } from "./sources/record-source.ts"
import { Aligned, SideBySide } from "./side-by-side.tsx"
import type { PartingProps } from "./side-by-side.tsx"

/** Changes that are listed; the others are counted. */
const LISTED_MAX = 40

interface ComparisonProps {
  readonly record: PackedRecord
  readonly run: number
  readonly onGo: (place: { readonly run: number; readonly row: number }) => void
}

export function Comparison({ record, run, onGo }: ComparisonProps): JSX.Element | null {
  const found = record.comparisons.find(({ first, second }) => first === run || second === run)
  if (found === undefined) return null
  const names = [found.first, found.second].map((number) => record.runs[number]?.file ?? "")
  return (
    <section id="comparison" class="panel" aria-label="The two records">
      {found.fork !== null ? (
        <Fork record={record} compared={found} fork={found.fork} onGo={onGo} />
      ) : found.divergence === null ? (
        <p>
          ✓ Every entry is the same in {names[0]} and in {names[1]}
          {found.names === null ? "" : ", apart from ids and nonces"}.
        </p>
      ) : (
        <Parting record={record} compared={found} names={names} onGo={onGo} />
      )}
    </section>
  )
}

interface ForkProps extends Omit<PartingProps, "names"> {
  readonly fork: ForkedAt
}

/** Both courses of a fork, from its moment on. */
function Fork({ record, compared, fork, onGo }: ForkProps): JSX.Element {
  const [first, second] = [compared.first, compared.second].map((number) => record.runs[number])
  const moment = useRead(async () => {
    const run = await openRun(record, compared.first)
    const { head } = run.packed
    const s = at(run.index.s, fork.first)
    return { s, time: timeOfDay(head.clock0Ms + at(run.index.t, fork.first), head.zone) }
  }, [record, compared])
  return (
    <>
      <p>
        <b>What if {fork.title}?</b> Both courses are the same up to entry {moment?.s ?? "…"} at{" "}
        {moment?.time ?? "…"} ({fork.entries} {fork.entries === 1 ? "entry" : "entries"}).{" "}
        {compared.divergence === null ? "After it they are the same too. " : ""}
        <button type="button" onClick={() => onGo({ run: compared.first, row: fork.first })}>
          Recorded: {first?.file ?? ""}
        </button>{" "}
        <button type="button" onClick={() => onGo({ run: compared.second, row: fork.second })}>
          What if: {second?.file ?? ""}
        </button>
      </p>
      <div class="courses scroll" role="region" aria-label="Both courses" tabIndex={0}>
        <Aligned record={record} compared={compared} names={["recorded", "the what-if"]} onGo={onGo} />
      </div>
    </>
  )
}

interface Side {
  readonly s: number
  readonly entry: Json | undefined
}

function Parting({ record, compared, names: files, onGo }: PartingProps): JSX.Element {
  const { first, second, divergence, names } = compared
  const rows = [divergence?.first ?? null, divergence?.second ?? null]
  const sides = useRead(async () => {
    const opened = await Promise.all([first, second].map((number) => openRun(record, number)))
    return Promise.all(
      opened.map((run, side) => sideAt(run, rows[side] ?? null, side === 1 ? (names ?? {}) : {})),
    )
  }, [record, first, second])
  const [one, other] = sides ?? []
  const changes = one === undefined || other === undefined ? [] : changesOf(one?.entry, other?.entry)
  return (
    <>
      <p>
        ✖ The records part after {divergence?.shared} {divergence?.shared === 1 ? "entry" : "entries"}
        {names === null ? "" : ", apart from ids and nonces, which the seed makes"}.{" "}
        {[first, second].map((run, side) => {
          const row = rows[side] ?? null
          if (row === null) return <span key={run}>{files[side]} has no further entry. </span>
          return (
            <button key={run} type="button" onClick={() => onGo({ run, row })}>
              {files[side]} at {sides?.[side]?.s ?? "…"}
            </button>
          )
        })}
      </p>
      <SideBySide record={record} compared={compared} names={files} onGo={onGo} />
      <ul class="mono" id="parting">
        {changes.slice(0, LISTED_MAX).map((change) => (
          <li key={change.path}>
            {change.path}: <del>{jsonText(change.before)}</del> → <ins>{jsonText(change.after)}</ins>
          </li>
        ))}
      </ul>
      {changes.length > LISTED_MAX && <p class="quiet">and {changes.length - LISTED_MAX} more</p>}
    </>
  )
}

/** The entry's text is what was hashed; the fields of the chain differ after the divergence anyway. */
async function sideAt(
  run: OpenRun,
  row: number | null,
  names: Readonly<Record<string, string>>,
): Promise<Side | null> {
  if (row === null) return null
  const { g, r, e, states } = JSON.parse(withNames(await run.lineAt(row), names)) as Readonly<
    Record<string, Json | undefined>
  >
  return { s: at(run.index.s, row), entry: { g, r, ...(e === undefined ? { states } : { e }) } }
}
