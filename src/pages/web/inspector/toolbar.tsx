/** The page's head: what kind of record it is, the run, its verdict, and the buttons for the whole page. */

import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { momentText } from "../../inspection/moment.ts"
import type { PackedRecord, PackedRun } from "../../inspection/packed.ts"
import { CopyButton } from "../components/copy-button.tsx"
import { Icon } from "../design/icon.tsx"
import { Mark } from "../design/mark.tsx"
import { Pill } from "../design/pill.tsx"
import { Breadcrumbs } from "./breadcrumbs.tsx"
import { ForkFromHere } from "./fork-from-here.tsx"
import { KeepScenario } from "./keep-scenario.tsx"
import { WhenLost } from "../moment/when-lost.tsx"
import { useIsPhone } from "./one-column.ts"
import type { Scene } from "./scene.ts"

interface ToolbarProps extends Scene {
  readonly record: PackedRecord
  readonly onRun: (run: number) => void
  readonly onHelp: () => void
  /** Shown instead of the verdict. */
  readonly status: ComponentChildren
  readonly opener: ComponentChildren
}

export function Toolbar(props: ToolbarProps): JSX.Element {
  const { record, run, s, status } = props
  const { packed } = run
  const part = record.report?.[props.view.run]
  const isPhone = useIsPhone()
  const [hasMore, setHasMore] = useState(false)
  return (
    <header id="toolbar">
      <Environment record={record} run={packed} />
      <div class="top bar">
        <h1>
          <Mark /> <span class="title">Inspector</span>
        </h1>
        <Breadcrumbs run={run} live={record.live}>
          <RunChoice {...props} />
        </Breadcrumbs>
        {status ?? <Verdict run={packed} />}
        <span class="grow" />
        {part !== undefined && <a href={part.fragment}>Back to the report</a>}
        {!isPhone && <MoreButtons {...props} />}
        <CopyButton text={momentText({ run: packed.number, s })} isPrimary>
          Copy moment
        </CopyButton>
        {isPhone ? (
          <button type="button" aria-expanded={hasMore} onClick={() => setHasMore(!hasMore)}>
            More
          </button>
        ) : (
          <Keys {...props} />
        )}
        {isPhone && hasMore && (
          <div class="bar more">
            <MoreButtons {...props} />
            <Keys {...props} />
          </div>
        )}
      </div>
      {packed.problem !== null && <p class="banner">{packed.problem}</p>}
    </header>
  )
}

/** On a phone they are shown on request. */
function MoreButtons(props: ToolbarProps): JSX.Element {
  const { record, view, opener } = props
  const recordedBy = record.report?.[view.run]?.recordedBy ?? null
  // The command reads a file with one run.
  const isWhole = record.live === undefined && record.report === undefined && record.runs.length === 1
  return (
    <>
      {opener}
      <CompareMoments {...props} />
      <ForkFromHere {...props} live={record.live} recordedBy={recordedBy} />
      <KeepScenario {...props} live={record.live} recordedBy={recordedBy} />
      {isWhole && <WhenLost {...props} isCounted={record.countsLost === true} />}
    </>
  )
}

function Keys({ onHelp }: ToolbarProps): JSX.Element {
  return (
    <button type="button" class="button square" aria-label="Keys" title="Keys" onClick={onHelp}>
      <Icon name="keyboard" />
    </button>
  )
}

/** Pins the moment, first as A and then as B, and shows the comparison of both. */
function CompareMoments({ view, go }: ToolbarProps): JSX.Element {
  const compare = (): void => {
    go({ tab: "calls", [view.pinA === null ? "pinA" : "pinB"]: view.row })
    requestAnimationFrame(() => {
      const section = document.querySelector<HTMLElement>("#compare")
      section?.scrollIntoView({ block: "nearest" })
      section?.focus({ preventScroll: true })
    })
  }
  return (
    <button type="button" title="Pins this moment; two pinned moments are compared" onClick={compare}>
      Compare
    </button>
  )
}

function Environment({
  record,
  run,
}: {
  readonly record: PackedRecord
  readonly run: PackedRun
}): JSX.Element {
  const { head } = run
  const environment = record.live?.environment
  const words = [
    environment === undefined ? head.scenario : "the running service",
    head.seed === null ? null : `seed ${head.seed}`,
    `curbline ${buildOf(head.build)}`,
  ]
  return (
    <div class={`environment ${environment ?? "neutral"}`} role="region" aria-label="Environment">
      <span class="badge">{environment?.toUpperCase() ?? "RECORD"}</span>
      <span class="about">{words.filter((word) => word !== null && word !== "").join(", ")}</span>
    </div>
  )
}

/** `0.2.0` for `curbline 0.2.0`. */
function buildOf(build: string): string {
  return build.replace(/^curbline /, "")
}

function RunChoice({ record, view, run, onRun }: ToolbarProps): JSX.Element {
  if (record.runs.length === 1) return <strong title={runName(run.packed)}>{runName(run.packed)}</strong>
  return (
    <label>
      <span class="visually-hidden">Run</span>
      <select value={view.run} onChange={(event) => onRun(Number(event.currentTarget.value))}>
        {record.runs.map((packed, number) => (
          <option key={number} value={number}>
            {record.report === undefined
              ? `${packed.file} ${packed.number}: ${runName(packed)}`
              : `${runName(packed)}, seed ${packed.head.seed}`}
          </option>
        ))}
      </select>
    </label>
  )
}

function runName({ head }: PackedRun): string {
  const variant = head.variant === null ? "" : ` [${head.variant}]`
  return `${head.title}${variant}`
}

/** An icon and a word, so that not only colour distinguishes them. */
function Verdict({ run }: { readonly run: PackedRun }): JSX.Element {
  const verdict = run.end?.verdict
  if (verdict === "passed")
    return (
      <Pill tone="ok" icon="check">
        Passed
      </Pill>
    )
  if (verdict === "failed")
    return (
      <Pill tone="bad" icon="cross">
        Failed
      </Pill>
    )
  return (
    <Pill tone="idle" icon="circle-dashed">
      Recorded
    </Pill>
  )
}
