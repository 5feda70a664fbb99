/** The inspector: one playhead for all its views, stored in the address. */

import type { ComponentChildren, JSX } from "preact"
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { momentText } from "../../inspection/moment.ts"
import type { PackedRecord } from "../../inspection/packed.ts"
import type { AskedBy } from "../../../model/asked-by.ts"
import { NONE, at, rowCount } from "../../inspection/run-index.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { copied } from "../components/copy-button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { usePlaying } from "../components/use-playing.ts"
import { Empty } from "../design/feedback.tsx"
import { writeAddress } from "../own-address.ts"
import { Mark } from "../design/mark.tsx"
import { Choice } from "../components/toggle.tsx"
import { Actors } from "./actors.tsx"
import { Answers } from "./asked.tsx"
import type { AskedAnswers } from "./asked.tsx"
import { Machines } from "./chart/chart.tsx"
import { Comparison } from "./comparison.tsx"
import { openedFile } from "./sources/file-source.ts"
import { Log } from "./log.tsx"
import { Moment } from "./moment.tsx"
import { KEYS, actorOfRow, changeBy, moveOfKey, playedOrPaused } from "./navigation.ts"
import { ONE_COLUMN, useIsOneColumn } from "./one-column.ts"
import { onSentRecord } from "../sent-record.ts"
import { OpenRecord, useDroppedFile } from "./sources/open-record.tsx"
import { useOpened } from "./opened.ts"
import { carriedRecord } from "./sources/record-source.ts"
import type { OpenRun, RecordSource } from "./sources/record-source.ts"
import { sceneOf } from "./scene.ts"
import type { Scene } from "./scene.ts"
import { Sequence } from "./sequence.tsx"
import { Strip } from "./strip.tsx"
import { Subject } from "./subject.tsx"
import { Toolbar } from "./toolbar.tsx"
import { addressOf, hashOf, runIn, zoomedIn, zoomedOut } from "./view.ts"
import type { Address, View } from "./view.ts"

/** The address is updated when the playhead rests: browsers limit the rate of changes. */
const ADDRESS_RESTS_MS = 150

export function App({ record: carried }: { readonly record: PackedRecord }): JSX.Element {
  const [{ source, address, number }, setShown] = useState(() => ({
    source: carriedRecord(carried),
    address: addressOf(location.hash),
    number: 0,
  }))
  const [problem, setProblem] = useState<string | null>(null)
  const turn = useTurns()
  const openFile = async (file: File, hash: string): Promise<void> => {
    const isLatest = turn()
    try {
      const next = await openedFile(file, carried.charts)
      if (!isLatest()) return
      // The page's address belonged to the other record, and may still be written.
      writeAddress("#")
      setShown((last) => ({ source: next, address: addressOf(hash), number: last.number + 1 }))
      setProblem(null)
    } catch (cause) {
      if (!isLatest()) return
      setProblem(`${file.name} is not opened: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
  }
  const onFile = (file: File): void => void openFile(file, "")
  useDroppedFile(onFile)
  useEffect(() => onSentRecord(({ file, text, hash }) => void openFile(new File([text], file), hash)), [])
  const opener = (
    <>
      <OpenRecord onFile={onFile} />
      {problem !== null && (
        <span role="alert" class="bad">
          {problem}
        </span>
      )}
    </>
  )
  if (source.record.runs.length === 0) return <NoRecord>{opener}</NoRecord>
  return <OpenedRecord key={number} source={source} address={address} opener={opener} />
}

/** The page before a record is opened. */
function NoRecord({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <main id="inspector">
      <header class="top bar">
        <h1>
          <Mark /> Inspector
        </h1>
      </header>
      <div class="no-record">
        <Empty title="No record is open" action={<div class="bar">{children}</div>}>
          Drop the file of a record here, or choose one. It is read in this page and does not leave this
          computer.
        </Empty>
      </div>
    </main>
  )
}

interface OpenedRecordProps {
  readonly source: RecordSource
  /** Where the page opens the record. */
  readonly address: Address
  readonly opener: ComponentChildren
}

/**
 * Numbers the attempts to open a record. An attempt checks whether it is still the latest: a long record must not
 * replace a newer short one.
 */
function useTurns(): () => () => boolean {
  const latest = useRef(0)
  return () => {
    latest.current += 1
    const mine = latest.current
    return () => mine === latest.current
  }
}

function OpenedRecord({ source, address: first, opener }: OpenedRecordProps): JSX.Element {
  const { record } = source
  const turn = useTurns()
  const { opened, setOpened, go } = useOpened((address) => void open(address, null))
  const open = async (address: Address, row: number | null): Promise<void> => {
    const isLatest = turn()
    const number = runIn(address, record)
    // A run's index is large, so another moment of the same run reuses it.
    const isOpen = opened !== null && opened.run.packed === record.runs[number]
    const run = isOpen ? opened.run : await source.open(number)
    if (!isLatest()) return
    const start = record.opensAt?.run === number && address.s === null ? record.opensAt.row : null
    setOpened({ run, view: viewOf(run, { address, number, row: row ?? start }) })
  }
  useEffect(() => void open(first, null), [source])
  if (opened === null) return <p role="status">Opening the record…</p>
  const goTo = ({ run, row }: { readonly run: number; readonly row: number | null }): void => {
    const noActors = { actor: null, beside: null, pinA: null, pinB: null }
    const address = { ...addressOf(location.hash), run, s: null, ...noActors }
    void open(address, row)
  }
  return <Inspector record={record} run={opened.run} view={opened.view} go={go} goTo={goTo} opener={opener} />
}

export interface InspectorProps {
  readonly record: PackedRecord
  readonly run: OpenRun
  readonly view: View
  /** The service's time; absent for a run that is over. */
  readonly nowMs?: EpochMs | null
  readonly go: (change: Partial<View>) => void
  readonly goTo: (place: { readonly run: number; readonly row: number | null }) => void
  /** The control that opens another record; absent for none. */
  readonly opener?: ComponentChildren
  /** Only for a group of the running service: its status, and the form to send events. */
  readonly status?: ComponentChildren
  readonly footer?: ComponentChildren
}

export function Inspector({
  record,
  run,
  view,
  nowMs = null,
  go,
  goTo,
  opener,
  status,
  footer,
}: InspectorProps): JSX.Element {
  const [isHelping, setIsHelping] = useState(false)
  const [said, setSaid] = useState("")
  const answers = useAnswers()
  const scene = useMemo(() => sceneOf({ run, view, nowMs, go }), [run, view, nowMs])
  useEffect(() => {
    // For measurements: the next frame shows the record.
    requestAnimationFrame(() => performance.mark("curbline shown"))
  }, [])
  useAddress(run, view)
  usePlayedRun(scene)
  useKeys((key, isShifted) => {
    const move = moveOfKey(key, isShifted)
    if (move !== null) go({ ...changeBy(run, view, move), isPlaying: false })
    else if (key === " ") go(playedOrPaused(run, view))
    else if (key === "+" || key === "=") go({ zoom: zoomedIn(view.zoom) })
    else if (key === "-") go({ zoom: zoomedOut(view.zoom) })
    else if (key === "a") go({ pinA: view.row })
    else if (key === "b") go({ pinB: view.row })
    else if (key === "/") toFilter(view, go)
    else if (key === "?") setIsHelping(true)
    else if (key === "c") void copied(momentText({ run: run.packed.number, s: scene.s })).then(setSaid)
    else return false
    return true
  })
  return (
    <Answers.Provider value={answers}>
      <main id="inspector">
        <Toolbar
          {...scene}
          record={record}
          onRun={(number) => goTo({ run: number, row: null })}
          onHelp={() => setIsHelping(true)}
          status={status}
          opener={opener}
        />
        <Comparison record={record} run={view.run} onGo={goTo} />
        <Subject {...scene} />
        <Strip {...scene} />
        <Tabs view={view} go={go} />
        <div id="views" data-tab={view.tab}>
          <Side {...scene} />
          <Machines {...scene} />
          <Sequence {...scene} />
          <Moment {...scene} />
        </div>
        {footer}
        <p role="status" class="visually-hidden">
          {said}
        </p>
        <Help isOpen={isHelping} onClose={() => setIsHelping(false)} />
      </main>
    </Answers.Provider>
  )
}

function usePlayedRun({ run, view, go }: Scene): void {
  usePlaying({
    times: run.index.t,
    place: view.row,
    isPlaying: view.isPlaying,
    speed: view.speed,
    skipsQuietTime: view.isFolding,
    onPlace: (row) => go({ row }),
    onEnd: () => go({ isPlaying: false }),
  })
}

function useAnswers(): AskedAnswers {
  const [answers, setAnswers] = useState<AskedAnswers["answers"]>(new Map<string, AskedBy>())
  return useMemo(
    () => ({
      answers,
      note: (entry, answer) => setAnswers((last) => new Map([...last, [entry, answer]])),
    }),
    [answers],
  )
}

/** Of a page in one column, which shows one part at a time. */
function Tabs({ view, go }: Pick<Scene, "go" | "view">): JSX.Element | null {
  if (!useIsOneColumn()) return null
  return (
    <div id="tabs">
      <Choice
        label="Part of the page"
        value={view.tab}
        options={[
          ["log", "Log"],
          ["outline", "Outline"],
          ["calls", "Calls"],
        ]}
        onChoose={(tab) => go({ tab })}
      />
    </div>
  )
}

/** The log, or the list of actors. */
function Side(scene: Scene): JSX.Element {
  const { view, go } = scene
  return (
    <div id="side">
      <Choice
        label="Left column"
        value={view.lists}
        options={[
          ["log", "Log"],
          ["actors", "Actors"],
        ]}
        onChoose={(lists) => go({ lists })}
      />
      {view.lists === "log" ? <Log {...scene} /> : <Actors {...scene} />}
    </div>
  )
}

function Help(props: { readonly isOpen: boolean; readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keys" {...props}>
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
  )
}

/** The filter of the log; where the actors are listed, the log is shown first. */
function toFilter(view: View, go: (change: Partial<View>) => void): void {
  const focus = (): void => document.querySelector<HTMLInputElement>("#filter")?.focus()
  if (view.lists === "log") return focus()
  go({ lists: "log" })
  requestAnimationFrame(focus)
}

export interface Opening {
  readonly address: Address
  readonly number: number
  readonly row: number | null
}

/** A run opens at its end, because readers usually want to see the result first. */
export function viewOf(run: OpenRun, { address, number, row: wanted }: Opening): View {
  const rowOf = (s: number | null): number | null => (s === null ? null : run.positions.rowOfLine(s))
  const row = wanted ?? rowOf(address.s) ?? Math.max(0, rowCount(run.index) - 1)
  const placeOf = (name: string | null): number =>
    run.index.actors.findIndex((actor) => actor.address === name)
  const named = placeOf(address.actor)
  const isNarrow = matchMedia(ONE_COLUMN).matches
  return {
    run: number,
    row,
    actor: named === NONE ? actorOfRow(run, row) : named,
    beside: placeOf(address.beside),
    filter: address.filter,
    lists: address.lists,
    shows: address.shows ?? (isNarrow ? "outline" : "chart"),
    tab: address.tab,
    folding: address.folding,
    lanesBy: address.lanesBy,
    scale: address.scale,
    isFolding: address.isFolding,
    zoom: address.zoom,
    isPlaying: address.isPlaying,
    speed: address.speed,
    pinA: rowOf(address.pinA),
    pinB: rowOf(address.pinB),
  }
}

function useAddress(run: OpenRun, view: View): void {
  useEffect(() => {
    const s = (row: number | null): number | null => (row === null ? null : at(run.index.s, row))
    const name = (actor: number): string | null => run.index.actors[actor]?.address ?? null
    const { pinA, pinB, row, actor, beside, ...same } = view
    const actors = { actor: name(actor), beside: name(beside) }
    const hash = hashOf({ ...same, ...actors, s: s(row), pinA: s(pinA), pinB: s(pinB) })
    const resting = setTimeout(() => writeAddress(hash), ADDRESS_RESTS_MS)
    return () => clearTimeout(resting)
  }, [run, view])
}

/** Arrow keys scroll a picture that is wider than its panel, when the panel has the focus. */
function scrolls(target: HTMLElement, { key, shiftKey }: KeyboardEvent): boolean {
  const isArrow = !shiftKey && (key === "ArrowLeft" || key === "ArrowRight")
  return isArrow && target.matches(".scroll") && target.scrollWidth > target.clientWidth
}

/** Keys of the page. Keys in a text field, or in a control with keys of its own, are left alone. */
function useKeys(take: (key: string, isShifted: boolean) => boolean): void {
  const latest = useRef(take)
  latest.current = take
  // Before the page is painted: who sees it can use the keys.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const target = event.target instanceof HTMLElement ? event.target : document.body
      const types = target.matches("input:not([type=range]), select, textarea, dialog *")
      const presses = event.key === " " && target.matches("button, summary, [role=option]")
      if (types || presses || scrolls(target, event)) return
      if (latest.current(event.key, event.shiftKey)) event.preventDefault()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [])
}
