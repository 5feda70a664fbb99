/** The course of the last run: its verdict, lanes, and one moment with what was sent and the machine. */

import type { JSX } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import { shownJson } from "../../inspection/shown-value.ts"
import { NONE, at } from "../../inspection/run-index.ts"
import { rowLines } from "../../inspection/row-text.ts"
import { PlayControls, Speeds } from "../components/play-controls.tsx"
import type { PlayStep } from "../components/play-controls.tsx"
import { SPEED_FIRST } from "../components/speeds.ts"
import type { Speed } from "../components/speeds.ts"
import { usePlaying } from "../components/use-playing.ts"
import { Button, ButtonLink } from "../design/button.tsx"
import { Code, prettyJson } from "../design/code.tsx"
import { Empty } from "../design/feedback.tsx"
import { Pill } from "../design/pill.tsx"
import { LitMachine } from "../inspector/chart/lit-machine.tsx"
import { useRead } from "../inspector/entries.ts"
import { actorOfRow } from "../inspector/navigation.ts"
import { entryAt } from "../inspector/sources/record-source.ts"
import type { OpenRun } from "../inspector/sources/record-source.ts"
import type { FileRun, RunMessage } from "./contract.ts"
import { CourseTable } from "./course-table.tsx"
import { Lanes } from "./lanes.tsx"
import { placeOf } from "./opened-run.ts"
import type { CourseMark, OpenedRun } from "./opened-run.ts"
import { LeftOutList, NotRunOnService, SeenMoment } from "./seen-course.tsx"
import { Sent } from "./sent.tsx"
import { clockOf } from "./time-scale.ts"
import { largeFirst, verdictSentence } from "./verdict.ts"

interface CourseProps {
  readonly run: OpenedRun
  readonly inspector: string | null
  /** 1-based, in the inspector's record. */
  readonly runNumber: number
  /** Moves the playhead there: a new object each time. */
  readonly goTo: { readonly t: number } | null
  /** Shows a line of the file. */
  readonly onLine: (line: number) => void
}

export function Course({ run, inspector, runNumber, goTo, onLine }: CourseProps): JSX.Element {
  const { shown, rows, record, moments } = run
  const playhead = usePlayhead(run, goTo)
  const [isTable, setTable] = useState(false)
  const [moment, row] = [moments[playhead.place], rows[playhead.place]]
  if (moment === undefined) return <NoCourse run={shown} onLine={onLine} />
  const t = playhead.markedAt ?? moment
  return (
    <>
      <Verdict run={shown} onLine={onLine} />
      <Why run={shown} />
      <LeftOutList leftOut={shown.service?.leftOut ?? []} />
      <div class="course-tools">
        <Steps
          playhead={playhead}
          of={record === null ? "moment" : "entry"}
          count={moments.length}
          time={clockOf(shown.startMs, shown.timeZone)(t)}
        />
        <span class="grow" />
        <Button isSmall onPress={() => setTable(!isTable)}>
          {isTable ? "Lanes" : "Table"}
        </Button>
        {inspector !== null && record !== null && row !== undefined && (
          <ButtonLink
            isSmall
            href={`${inspector}#run=${runNumber}&at=${at(record.open.index.s, row)}`}
            opensTab
          >
            Inspector
          </ButtonLink>
        )}
      </div>
      {isTable ? (
        <CourseTable run={run} t={t} onMove={playhead.moveTo} />
      ) : (
        <Lanes run={run} t={t} onMove={playhead.moveTo} />
      )}
      {record !== null && row !== undefined && <Moment run={run} open={record.open} row={row} t={t} />}
      {shown.service !== null && (
        <SeenMoment
          run={shown}
          service={shown.service}
          from={moment}
          until={moments[playhead.place + 1] ?? Number.POSITIVE_INFINITY}
        />
      )}
    </>
  )
}

interface Playhead {
  /** Index in the moments of the run. */
  readonly place: number
  /** The time of the mark that was pressed, at which there may be no entry; null after a step. */
  readonly markedAt: number | null
  readonly isPlaying: boolean
  readonly speed: Speed
  readonly setSpeed: (speed: Speed) => void
  readonly moveTo: (mark: CourseMark) => void
  readonly step: (by: number) => void
  readonly play: () => void
}

function usePlayhead(run: OpenedRun, goTo: CourseProps["goTo"]): Playhead {
  const last = run.moments.length - 1
  const [{ place, markedAt }, setAt] = useState(() => firstPlace(run))
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState(SPEED_FIRST)
  const moveTo = (mark: CourseMark): void => setAt({ place: placeOf(run, mark), markedAt: mark.t })
  useEffect(() => setAt(firstPlace(run)), [run])
  useEffect(() => {
    if (goTo !== null) moveTo(goTo)
  }, [goTo])
  usePlaying({
    times: run.moments,
    place,
    isPlaying,
    speed,
    skipsQuietTime: true,
    onPlace: (next) => setAt({ place: next, markedAt: null }),
    onEnd: () => setPlaying(false),
  })
  return {
    place,
    markedAt,
    isPlaying,
    speed,
    setSpeed,
    moveTo,
    step: (by) => {
      setPlaying(false)
      setAt((now) => ({ place: Math.min(last, Math.max(0, now.place + by)), markedAt: null }))
    },
    play: () => {
      if (!isPlaying && place === last) setAt({ place: 0, markedAt: null })
      setPlaying(!isPlaying)
    },
  }
}

interface StepsProps {
  readonly playhead: Playhead
  readonly of: "entry" | "moment"
  readonly count: number
  readonly time: string
}

function Steps({ playhead, of, count, time }: StepsProps): JSX.Element {
  const { place, isPlaying, speed, step, setSpeed, play } = playhead
  const before: PlayStep = {
    label: `${largeFirst(of)} before`,
    icon: "chevron-left",
    isAtEnd: place === 0,
    onPress: () => step(-1),
  }
  const next: PlayStep = {
    label: `Next ${of}`,
    icon: "chevron-right",
    isAtEnd: place === count - 1,
    onPress: () => step(1),
  }
  return (
    <>
      <PlayControls isPlaying={isPlaying} before={[before]} after={[next]} onToggle={play} />
      <Speeds speed={speed} onChoose={setSpeed} />
      <strong class="mono">{time}</strong>
      <span class="quiet">
        {of} {place + 1} of {count}
      </span>
    </>
  )
}

/** At the first failure, else at the end. */
function firstPlace(run: OpenedRun): Pick<Playhead, "markedAt" | "place"> {
  const failed = [
    ...run.shown.expectations.filter(({ isHeld }) => !isHeld),
    ...run.shown.commands.filter(({ isFailed }) => isFailed),
  ]
  const t = failed[0]?.t
  if (t === undefined) return { place: Math.max(0, run.moments.length - 1), markedAt: null }
  return { place: placeOf(run, { t }), markedAt: t }
}

interface VerdictProps {
  readonly run: FileRun
  readonly onLine: (line: number) => void
}

function Verdict({ run, onLine }: VerdictProps): JSX.Element {
  const line = run.failures[0]?.line ?? null
  return (
    <div class="verdict">
      <h2>{verdictSentence(run)}</h2>
      {line !== null && (
        <Button isSmall onPress={() => onLine(line)}>
          Line {line}
        </Button>
      )}
      <VerdictPill run={run} />
    </div>
  )
}

function VerdictPill({
  run: { verdict, notRun, failures, expectations, expectsNothing },
}: {
  readonly run: FileRun
}): JSX.Element {
  if (verdict === "not run")
    return (
      <Pill tone="idle" icon="circle-dashed">
        not run
      </Pill>
    )
  if (verdict !== "passed")
    return (
      <Pill tone="bad" icon="cross">
        {failures.length} failed
      </Pill>
    )
  if (notRun === null && expectsNothing)
    return (
      <Pill tone="wait" icon="circle-alert">
        nothing expected
      </Pill>
    )
  return notRun === null ? (
    <Pill tone="ok" icon="check">
      {expectations.length === 0 ? "passed" : `${expectations.length} held`}
    </Pill>
  ) : (
    <Pill tone="wait" icon="circle-dashed">
      in part
    </Pill>
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

function NoCourse({ run, onLine }: VerdictProps): JSX.Element {
  return (
    <>
      <Verdict run={run} onLine={onLine} />
      {run.verdict === "not run" && run.service !== null ? (
        <NotRunOnService service={run.service} />
      ) : (
        <Empty title="Nothing happened">The run has nothing to show.</Empty>
      )}
    </>
  )
}

interface MomentProps {
  readonly run: OpenedRun
  readonly open: OpenRun
  readonly row: number
  /** The playhead's, from the entry on. */
  readonly t: number
}

/** What happened in the entry, and the machine of its actor. */
function Moment({ run, open, row, t }: MomentProps): JSX.Element {
  const { index } = open
  const messages = useMemo(() => messagesAt(run, row), [run, row])
  const others = run.shown.messages.filter((one) => one.t === t && isOfNoEntry(run, one))
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
        {messages.length === 0 && event !== null && (
          <Code text={shownJson(event, open.packed.head.zone)} copies={prettyJson(event)} label="Event" />
        )}
        {others.length > 0 && <p class="quiet">Also at this time, by no entry:</p>}
        {others.map((message, at_) => (
          <Sent key={at_} message={message} />
        ))}
      </section>
      <LitMachine open={open} row={row} actor={actor} t={t} />
    </div>
  )
}

/** What the entry sent, and the request whose answer it is. */
function messagesAt({ shown, sent }: OpenedRun, row: number): readonly RunMessage[] {
  return shown.messages.filter((message) => {
    const rows = sent.get(message)
    return rows !== undefined && (rows.sent === row || rows.answered === row)
  })
}

/** A text that a command wrote without a turn, as the answer to STOP. */
function isOfNoEntry({ sent }: OpenedRun, message: RunMessage): boolean {
  return message.request === null && !sent.has(message)
}

/** The actor of the entry; of a webhook's delivery, the actor before it: how a delivery goes on is seen in its lane. */
function shownActor(open: OpenRun, row: number): number {
  for (let before = row; before >= 0; before -= 1) {
    const actor = actorOfRow(open, before)
    if (actor !== NONE && !(open.index.actors[actor]?.address ?? "").startsWith("webhook")) return actor
  }
  return actorOfRow(open, row)
}
