/** The inspector: one playhead for all its views, and the address that keeps it. */

import type { ComponentChildren, JSX } from "preact"
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks"
import { momentText } from "../../inspection/moment.ts"
import type { PackedRecord } from "../../inspection/packed.ts"
import { NONE, at, rowCount } from "../../inspection/run-index.ts"
import { copied } from "../components/copy-button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { Actors } from "./actors.tsx"
import { Chart } from "./chart.tsx"
import { Comparison } from "./comparison.tsx"
import { Log } from "./log.tsx"
import { Moment } from "./moment.tsx"
import { KEYS, actorOfRow, moveOfKey, moved } from "./navigation.ts"
import { usePlaying } from "./playing.ts"
import { openRun } from "./record-source.ts"
import type { OpenRun } from "./record-source.ts"
import { sceneOf } from "./scene.ts"
import { Sequence } from "./sequence.tsx"
import { Strip } from "./strip.tsx"
import { Toolbar } from "./toolbar.tsx"
import { addressOf, hashOf, runIn } from "./view.ts"
import type { Address, View } from "./view.ts"

/** The address follows the playhead when it rests: browsers take only so many changes of it. */
const ADDRESS_RESTS_MS = 150

export function App({ record }: { readonly record: PackedRecord }): JSX.Element {
  const [opened, setOpened] = useState<{ readonly run: OpenRun; readonly view: View } | null>(null)
  const open = useCallback(
    async (address: Address, row: number | null): Promise<void> => {
      const number = runIn(address, record)
      const run = await openRun(record, number)
      const start = record.opensAt?.run === number && address.s === null ? record.opensAt.row : null
      setOpened({ run, view: viewOf(run, { address, number, row: row ?? start }) })
    },
    [record],
  )
  useEffect(() => {
    const read = (): void => void open(addressOf(location.hash), null)
    read()
    addEventListener("hashchange", read)
    return () => removeEventListener("hashchange", read)
  }, [open])
  if (record.runs.length === 0) return <p class="banner">The record holds no run.</p>
  if (opened === null) return <p role="status">Opening the record…</p>
  const go = (change: Partial<View>): void =>
    setOpened((last) => (last === null ? null : { ...last, view: { ...last.view, ...change } }))
  const goTo = ({ run, row }: { readonly run: number; readonly row: number | null }): void => {
    const address = { ...addressOf(location.hash), run, s: null, actor: null, pinA: null, pinB: null }
    void open(address, row)
  }
  return <Inspector record={record} run={opened.run} view={opened.view} go={go} goTo={goTo} />
}

export interface InspectorProps {
  readonly record: PackedRecord
  readonly run: OpenRun
  readonly view: View
  readonly go: (change: Partial<View>) => void
  readonly goTo: (place: { readonly run: number; readonly row: number | null }) => void
  /** What only a group of the running service has: how it is followed, and what may be sent to it. */
  readonly status?: ComponentChildren
  readonly footer?: ComponentChildren
}

export function Inspector({ record, run, view, go, goTo, status, footer }: InspectorProps): JSX.Element {
  const [isHelping, setIsHelping] = useState(false)
  const [said, setSaid] = useState("")
  const scene = useMemo(() => sceneOf(run, view, go), [run, view])
  useEffect(() => {
    // For whoever measures: the frame after this one shows the record.
    requestAnimationFrame(() => performance.mark("curbline shown"))
  }, [])
  useAddress(run, view)
  usePlaying(scene)
  useKeys((key, isShifted) => {
    const move = moveOfKey(key, isShifted)
    if (move !== null) go({ row: moved(run, view, move), isPlaying: false })
    else if (key === " ") go({ isPlaying: !view.isPlaying })
    else if (key === "a") go({ pinA: view.row })
    else if (key === "b") go({ pinB: view.row })
    else if (key === "/") document.querySelector<HTMLInputElement>("#filter")?.focus()
    else if (key === "?") setIsHelping(true)
    else if (key === "c") void copied(momentText({ run: run.packed.number, s: scene.s })).then(setSaid)
    else return false
    return true
  })
  return (
    <main id="inspector">
      <Toolbar
        {...scene}
        record={record}
        onRun={(number) => goTo({ run: number, row: null })}
        onHelp={() => setIsHelping(true)}
        status={status}
      />
      <Comparison record={record} run={view.run} onGo={goTo} />
      <Strip {...scene} />
      <div id="views">
        <Actors {...scene} />
        <Chart {...scene} />
        <Moment {...scene} />
        <Log {...scene} />
        <Sequence {...scene} />
      </div>
      {footer}
      <p role="status" class="visually-hidden">
        {said}
      </p>
      <Dialog title="Keys" isOpen={isHelping} onClose={() => setIsHelping(false)}>
        <dl class="facts">
          {KEYS.map(([keys, does]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </main>
  )
}

export interface Opening {
  readonly address: Address
  readonly number: number
  readonly row: number | null
}

/** A fresh run opens at its end: who opens a record mostly wants to know how it came out. */
export function viewOf(run: OpenRun, { address, number, row: wanted }: Opening): View {
  const rowOf = (s: number | null): number | null => (s === null ? null : run.positions.rowOfLine(s))
  const row = wanted ?? rowOf(address.s) ?? Math.max(0, rowCount(run.index) - 1)
  const named = run.index.actors.findIndex((actor) => actor.address === address.actor)
  const isNarrow = matchMedia("(max-width: 700px)").matches
  return {
    run: number,
    row,
    actor: named === NONE ? actorOfRow(run, row) : named,
    filter: address.filter,
    shows: address.shows ?? (isNarrow ? "outline" : "chart"),
    lanesBy: address.lanesBy,
    isFolding: address.isFolding,
    isPlaying: address.isPlaying,
    speed: address.speed,
    pinA: rowOf(address.pinA),
    pinB: rowOf(address.pinB),
  }
}

function useAddress(run: OpenRun, view: View): void {
  useEffect(() => {
    const s = (row: number | null): number | null => (row === null ? null : at(run.index.s, row))
    const { pinA, pinB, row, actor, ...same } = view
    const address = run.index.actors[actor]?.address ?? null
    const hash = hashOf({ ...same, s: s(row), actor: address, pinA: s(pinA), pinB: s(pinB) })
    const resting = setTimeout(() => history.replaceState(null, "", hash), ADDRESS_RESTS_MS)
    return () => clearTimeout(resting)
  }, [run, view])
}

/** Keys of the page; whoever types into a field, or works a control of its own keys, is left alone. */
function useKeys(take: (key: string, isShifted: boolean) => boolean): void {
  const latest = useRef(take)
  latest.current = take
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const target = event.target instanceof HTMLElement ? event.target : document.body
      const types = target.matches("input:not([type=range]), select, textarea, dialog *")
      const presses = event.key === " " && target.matches("button, summary, [role=option]")
      if (types || presses) return
      if (latest.current(event.key, event.shiftKey)) event.preventDefault()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [])
}
