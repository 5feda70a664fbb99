/** The course of the last run: its verdict, lanes, and one moment with what was sent and the machine. */

import type { JSX } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import { NONE, at } from "../../inspection/run-index.ts"
import { rowLines } from "../../inspection/row-text.ts"
import { partOf } from "../../model/address.ts"
import { Button, ButtonLink } from "../design/button.tsx"
import { Code, prettyJson } from "../design/code.tsx"
import { Empty } from "../design/feedback.tsx"
import { Pill } from "../design/pill.tsx"
import { actorMomentOf } from "../inspector/actor-moment.ts"
import { Picture } from "../inspector/chart.tsx"
import { useRead } from "../inspector/entries.ts"
import { actorOfRow } from "../inspector/navigation.ts"
import { entryAt } from "../inspector/record-source.ts"
import type { OpenRun } from "../inspector/record-source.ts"
import type { FileRun, RunMessage } from "./contract.ts"
import { CourseTable } from "./course-table.tsx"
import { Lanes } from "./lanes.tsx"
import type { OpenedRun } from "./opened-run.ts"
import { clockOf } from "./time-scale.ts"
import { largeFirst, verdictSentence } from "./verdict.ts"

/** Between two entries while it plays. */
const PLAY_MS = 700

interface CourseProps {
  readonly run: OpenedRun
  readonly inspector: string | null
  /** 1-based, in the inspector's record. */
  readonly runNumber: number
  /** Moves the playhead there: a new object each time. */
  readonly goTo: { readonly t: number } | null
}

export function Course({ run, inspector, runNumber, goTo }: CourseProps): JSX.Element {
  const { shown, rows, record } = run
  const playhead = usePlayhead(run, goTo)
  const [isTable, setTable] = useState(false)
  const row = rows[playhead.place]
  if (record === null || row === undefined) return <NoCourse run={shown} />
  const { open } = record
  const t = at(open.index.t, row)
  return (
    <>
      <Verdict run={shown} />
      <Why run={shown} />
      <div class="course-tools">
        <Steps playhead={playhead} entries={rows.length} time={clockOf(shown.startMs, shown.timeZone)(t)} />
        <span class="grow" />
        <Button isSmall onPress={() => setTable(!isTable)}>
          {isTable ? "Lanes" : "Table"}
        </Button>
        {inspector !== null && (
          <ButtonLink isSmall href={`${inspector}#run=${runNumber}&at=${at(open.index.s, row)}`} opensTab>
            Inspector
          </ButtonLink>
        )}
      </div>
      {isTable ? (
        <CourseTable run={shown} onMove={playhead.moveTo} />
      ) : (
        <Lanes run={shown} t={t} onMove={playhead.moveTo} />
      )}
      <Moment run={run} open={open} row={row} />
    </>
  )
}

interface Playhead {
  /** Index in the rows of entries. */
  readonly place: number
  readonly isPlaying: boolean
  readonly moveTo: (t: number) => void
  readonly step: (by: number) => void
  readonly play: () => void
}

function usePlayhead(run: OpenedRun, goTo: CourseProps["goTo"]): Playhead {
  const last = run.rows.length - 1
  const [place, setPlace] = useState(() => firstPlace(run))
  const [isPlaying, setPlaying] = useState(false)
  useEffect(() => setPlace(firstPlace(run)), [run])
  useEffect(() => {
    if (goTo !== null) setPlace(placeAt(run, goTo.t))
  }, [goTo])
  useEffect(() => {
    if (!isPlaying) return undefined
    const timer = setInterval(() => {
      setPlace((now) => {
        if (now < last) return now + 1
        setPlaying(false)
        return now
      })
    }, PLAY_MS)
    return () => clearInterval(timer)
  }, [isPlaying, run])
  return {
    place,
    isPlaying,
    moveTo: (t) => setPlace(placeAt(run, t)),
    step: (by) => {
      setPlaying(false)
      setPlace((now) => Math.min(last, Math.max(0, now + by)))
    },
    play: () => {
      if (!isPlaying && place === last) setPlace(0)
      setPlaying(!isPlaying)
    },
  }
}

interface StepsProps {
  readonly playhead: Playhead
  readonly entries: number
  readonly time: string
}

function Steps({ playhead: { place, isPlaying, step, play }, entries, time }: StepsProps): JSX.Element {
  const isLast = place === entries - 1
  return (
    <>
      <Button
        isSmall
        icon="chevron-left"
        label="Entry before"
        isDisabled={place === 0}
        onPress={() => step(-1)}
      />
      <Button
        isSmall
        icon={isPlaying ? "pause" : "play"}
        label={isPlaying ? "Pause" : "Play"}
        onPress={play}
      />
      <Button isSmall icon="chevron-right" label="Next entry" isDisabled={isLast} onPress={() => step(1)} />
      <strong class="mono">{time}</strong>
      <span class="quiet">
        entry {place + 1} of {entries}
      </span>
    </>
  )
}

/** At the first failure, else at the end. */
function firstPlace(run: OpenedRun): number {
  const failed = [
    ...run.shown.expectations.filter(({ isHeld }) => !isHeld),
    ...run.shown.commands.filter(({ isFailed }) => isFailed),
  ]
  const t = failed[0]?.t
  return t === undefined ? Math.max(0, run.rows.length - 1) : placeAt(run, t)
}

/** The last entry up to a time. */
function placeAt({ record, rows }: OpenedRun, t: number): number {
  if (record === null) return 0
  const { index } = record.open
  return Math.max(
    0,
    rows.findLastIndex((row) => at(index.t, row) <= t),
  )
}

function Verdict({ run }: { readonly run: FileRun }): JSX.Element {
  const failed = run.failures.length
  const checks = run.expectations.length
  return (
    <div class="verdict">
      <h2>{verdictSentence(run)}</h2>
      {run.verdict === "passed" ? (
        <Pill
          tone={run.notRun === null ? "ok" : "wait"}
          icon={run.notRun === null ? "check" : "circle-dashed"}
        >
          {run.notRun === null ? `${checks} held` : "in part"}
        </Pill>
      ) : (
        <Pill tone="bad" icon="cross">
          {failed} failed
        </Pill>
      )}
    </div>
  )
}

/** The chain of causes of the first failure, nearest first. */
function Why({ run: { failures } }: { readonly run: FileRun }): JSX.Element | null {
  const [failure] = failures
  if (failure === undefined || failure.why.length === 0) return null
  return (
    <details class="why">
      <summary>Why</summary>
      <ul>
        {failure.why.map((line, place) => (
          <li key={place}>{line}</li>
        ))}
      </ul>
    </details>
  )
}

function NoCourse({ run }: { readonly run: FileRun }): JSX.Element {
  return (
    <>
      <Verdict run={run} />
      <Empty title="Nothing happened">The run has no entry to show.</Empty>
    </>
  )
}

interface MomentProps {
  readonly run: OpenedRun
  readonly open: OpenRun
  readonly row: number
}

/** What happened in the entry, and the machine of its actor. */
function Moment({ run, open, row }: MomentProps): JSX.Element {
  const { index } = open
  const [t, next] = [at(index.t, row), run.rows.find((other) => other > row)]
  const until = next === undefined ? Infinity : at(index.t, next)
  const messages = run.shown.messages.filter(
    (message) => message.t >= t && (message.t < until || message.t === t),
  )
  const event = useRead(async () => (await entryAt(open, row))?.event ?? null, [open, row])
  const actor = shownActor(open, row)
  const { title, detail } = rowLines(index, row, undefined)
  return (
    <div class="moment">
      <section class="happened scroll" tabIndex={0} aria-label="What happened">
        <h3>{largeFirst(title)}</h3>
        <p class="quiet">{detail}</p>
        {messages.map((message, at_) => (
          <Sent key={at_} message={message} />
        ))}
        {messages.length === 0 && event !== null && <Code text={prettyJson(event)} label="Event" />}
      </section>
      <Machine open={open} row={row} actor={actor} t={t} />
    </div>
  )
}

/** The actor of the entry; of a webhook's delivery, the actor before it: how a delivery goes on is seen in its lane. */
function shownActor(open: OpenRun, row: number): number {
  for (let before = row; before >= 0; before -= 1) {
    const actor = actorOfRow(open, before)
    if (actor !== NONE && !(open.index.actors[actor]?.address ?? "").startsWith("webhook")) return actor
  }
  return actorOfRow(open, row)
}

function Sent({ message }: { readonly message: RunMessage }): JSX.Element {
  const { kind, to, what, answer, isAccepted, body } = message
  return (
    <article class="sent">
      <div class="row apart">
        <strong>{what}</strong>
        {answer !== null && (
          <Pill tone={isAccepted ? "ok" : "bad"} icon={isAccepted ? "check" : "cross"}>
            {answer.replace(/, request \d+ to this URL$/, "")}
          </Pill>
        )}
      </div>
      <p class="quiet tiny">
        {kind} to {to}
      </p>
      {body !== "" && <Code text={formatted(body)} label={`Content of ${what} to ${to}`} />}
    </article>
  )
}

/** JSON with indents; other texts as they are. */
function formatted(body: string): string {
  try {
    return prettyJson(JSON.parse(body))
  } catch {
    return body
  }
}

interface MachineProps {
  readonly open: OpenRun
  readonly row: number
  readonly actor: number
  readonly t: number
}

function Machine({ open, row, actor, t }: MachineProps): JSX.Element {
  const found = open.index.actors[actor]
  const chart = open.chartOf(found?.machine ?? null)
  const moment = useMemo(
    () => actorMomentOf(open, { actor, row, now: t }, chart?.chart ?? null),
    [open, actor, row, t, chart],
  )
  const name = found === undefined ? "Machine" : partOf(found.address).replaceAll("-", " ")
  const states = moment.active.filter((path) => !moment.active.some((other) => other.startsWith(`${path}.`)))
  return (
    <section class="machine" aria-label="Machine">
      <h3>
        {name} <span class="quiet mono">{states.map((path) => path.split(".").at(-1)).join(", ")}</span>
      </h3>
      {actor === NONE || chart === null || chart.overview === null ? (
        <p class="quiet">{chart?.problem ?? "This entry has no machine to show."}</p>
      ) : (
        <Picture
          key={chart.chart.id}
          svg={chart.overview}
          chart={chart.chart}
          title={`Machine ${name}`}
          moment={moment}
          zoom="readable"
        />
      )}
    </section>
  )
}
