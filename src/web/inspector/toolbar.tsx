/** The page's head: the run, the playhead's moment, and the buttons that move it. */

import type { ComponentChildren, JSX } from "preact"
import { clockText } from "../../inspection/durations.ts"
import { momentText } from "../../inspection/moment.ts"
import type { PackedRecord, PackedRun } from "../../inspection/packed.ts"
import { rowCount } from "../../inspection/run-index.ts"
import { isoMs } from "../../model/time.ts"
import { CopyButton } from "../components/copy-button.tsx"
import { Toggle } from "../components/toggle.tsx"
import { firstFailure, moved } from "./navigation.ts"
import type { Move } from "./navigation.ts"
import type { Scene } from "./scene.ts"
import { SPEEDS } from "./view.ts"

interface ToolbarProps extends Scene {
  readonly record: PackedRecord
  readonly onRun: (run: number) => void
  readonly onHelp: () => void
  /** Shown instead of the verdict. */
  readonly status: ComponentChildren
  readonly opener: ComponentChildren
}

const MOVES: readonly (readonly [move: Move, sign: string, name: string])[] = [
  ["first", "|◀", "First entry"],
  ["before", "◀", "Entry before"],
  ["next", "▶", "Next entry"],
  ["last", "▶|", "Last entry"],
]

export function Toolbar(props: ToolbarProps): JSX.Element {
  const { run, view, s, t, go, onHelp, status, opener } = props
  const { packed, index } = run
  const move = (to: Move): void => go({ row: moved(run, view, to), isPlaying: false })
  return (
    <header id="toolbar">
      <div class="bar">
        <h1>Inspector</h1>
        <RunChoice {...props} />
        {status ?? <Verdict run={packed} />}
        <span class="grow" />
        <CopyButton text={momentText({ run: packed.number, s })}>Copy moment</CopyButton>
        {opener}
        <button type="button" onClick={onHelp}>
          Keys
        </button>
      </div>
      <div class="bar">
        {MOVES.map(([to, sign, name]) => (
          <button key={to} type="button" aria-label={name} title={name} onClick={() => move(to)}>
            {sign}
          </button>
        ))}
        <Toggle isOn={view.isPlaying} onToggle={() => go({ isPlaying: !view.isPlaying })}>
          {view.isPlaying ? "Pause" : "Play"}
        </Toggle>
        <label>
          <span class="visually-hidden">Speed</span>
          <select value={view.speed} onChange={(event) => go({ speed: Number(event.currentTarget.value) })}>
            {SPEEDS.map((speed) => (
              <option key={speed} value={speed}>
                ×{speed}
              </option>
            ))}
          </select>
        </label>
        <strong class="mono" id="clock">
          {clockText(t)}
        </strong>
        <span class="quiet">{wallText(packed, t)}</span>
        <span id="place">
          entry {view.row + 1} of {rowCount(index)}
        </span>
        <span class="grow" />
        <button type="button" disabled={firstFailure(run) === null} onClick={() => move("failure")}>
          First failure
        </button>
        <Toggle isOn={view.isFolding} onToggle={() => go({ isFolding: !view.isFolding })}>
          Fold quiet time
        </Toggle>
      </div>
      {packed.problem !== null && <p class="banner">{packed.problem}</p>}
    </header>
  )
}

function RunChoice({ record, view, run, onRun }: ToolbarProps): JSX.Element {
  if (record.runs.length === 1) return <span>{runName(run.packed)}</span>
  return (
    <label>
      <span class="visually-hidden">Run</span>
      <select value={view.run} onChange={(event) => onRun(Number(event.currentTarget.value))}>
        {record.runs.map((packed, number) => (
          <option key={number} value={number}>
            {packed.file} {packed.number}: {runName(packed)}
          </option>
        ))}
      </select>
    </label>
  )
}

function runName({ head }: PackedRun): string {
  const variant = head.variant === null ? "" : ` [${head.variant}]`
  const seed = head.seed === null ? "" : ` · seed ${head.seed}`
  return `${head.title}${variant}${seed} · ${head.build}`
}

/** A sign and a word, so that not only colour distinguishes them. */
function Verdict({ run }: { readonly run: PackedRun }): JSX.Element {
  const verdict = run.end?.verdict
  if (verdict === "passed") return <span class="badge good">✓ passed</span>
  if (verdict === "failed") return <span class="badge bad">✖ failed</span>
  return <span class="badge">recorded</span>
}

/** Weekday and time in the run's own time zone. */
function wallText({ head }: PackedRun, t: number): string {
  const instant = head.clock0Ms + t
  try {
    const format = new Intl.DateTimeFormat("en-GB", {
      timeZone: head.zone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    })
    return `${format.format(instant)} ${head.zone}`
  } catch {
    return isoMs(instant)
  }
}
