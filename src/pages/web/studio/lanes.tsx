/** Lanes over one line of time: what the file does, actors with their states, what was sent, and expectations. */

import type { JSX } from "preact"
import { useEffect, useMemo, useRef } from "preact/hooks"
import { hueOf } from "../../inspection/kinds.ts"
import type { FileRun, RunExpectation, RunLane, RunMessage, Stay } from "./contract.ts"
import type { CourseMark, OpenedRun } from "./opened-run.ts"
import { clockOf, timeScale } from "./time-scale.ts"
import type { TimeScale } from "./time-scale.ts"

/** Width of a unit of time, at least; and of the end that did not run. */
const UNIT_PX = 15
const NOT_RUN_PX = 110

interface LanesProps {
  readonly run: OpenedRun
  /** The playhead; ms since the run's start. */
  readonly t: number
  readonly onMove: (mark: CourseMark) => void
}

export function Lanes({ run: opened, t, onMove }: LanesProps): JSX.Element {
  const { shown: run } = opened
  const scale = useMemo(() => timeScale(timesOf(run)), [run])
  const box = useRef<HTMLDivElement>(null)
  const left = (time: number): string => `${(scale.placeOf(time) / scale.width) * 100}%`
  useEffect(() => {
    const head = box.current?.querySelector<HTMLElement>(".playhead")
    const outer = box.current
    if (head === null || head === undefined || outer === null) return
    const place = head.offsetLeft + LABEL_PX
    if (place < outer.scrollLeft + LABEL_PX || place > outer.scrollLeft + outer.clientWidth - 20)
      outer.scrollLeft = place - outer.clientWidth / 2
  }, [t, run])
  const sent = [...Map.groupBy(run.messages, ({ kind }) => kind)]
  const width = `max(100%, ${LABEL_PX + scale.width * UNIT_PX + (run.notRun === null ? 0 : NOT_RUN_PX)}px)`
  const drawn: Drawn = { run, scale, left, onMove }
  return (
    <div class="lanes scroll" ref={box} role="region" tabIndex={0} aria-label="Course of the run over time">
      <div class="lanes-inner" style={{ width }}>
        <Axis {...drawn} />
        <div class="lanes-rows">
          <Row name="steps" kind="steps">
            {run.commands.map((command, at) => (
              <Dot key={at} {...drawn} t={command.t} isBad={command.isFailed} words={command.words} />
            ))}
          </Row>
          {run.lanes.map((lane) => (
            <Row key={lane.address} name={lane.name} kind={hueOf(lane.kind)}>
              {lane.stays.map((stay, at) => (
                <StayBar key={at} {...drawn} {...stay} address={lane.address} />
              ))}
            </Row>
          ))}
          {sent.map(([kind, messages]) => (
            <Row
              key={kind}
              name={kind === "webhook" ? "webhooks" : kind}
              kind={KIND_OF_SENT[kind] ?? "webhook"}
            >
              {messages.map((message, at) => (
                <Dot
                  key={at}
                  {...drawn}
                  t={message.t}
                  row={opened.sent.get(message)?.sent}
                  isBad={!message.isAccepted}
                  words={sentWords(message)}
                />
              ))}
            </Row>
          ))}
          <Expectations {...drawn} />
          <div class="lanes-over">
            <span class="lane-name" />
            <div class="track">
              <div class="playhead" style={{ left: left(t) }} />
            </div>
          </div>
          {run.notRun !== null && (
            <p class="not-run" style={{ width: `${NOT_RUN_PX}px` }}>
              not run: {run.notRun.reason}
            </p>
          )}
        </div>
      </div>
    </div>
  )
}

const LABEL_PX = 168

const KIND_OF_SENT: Readonly<Record<string, string>> = {
  "open link": hueOf("open-link"),
  compartment: hueOf("compartment"),
}

interface Drawn {
  readonly run: FileRun
  readonly scale: TimeScale
  readonly left: (t: number) => string
  readonly onMove: (mark: CourseMark) => void
}

function timesOf({ lanes, commands, expectations, messages }: FileRun): readonly number[] {
  return [
    0,
    ...lanes.flatMap(({ stays }) => stays.map(({ from }) => from)),
    ...commands.map(({ t }) => t),
    ...messages.map(({ t }) => t),
    ...expectations.flatMap(({ t }) => [t]),
  ]
}

export function sentWords({ what, to, answer }: RunMessage): string {
  return `${what} to ${to}${answer === null ? "" : `, ${answer}`}`
}

/** Between two labels of the line of time. */
const LABEL_GAP_UNITS = 0.5

function Axis({ run, scale, left }: Drawn): JSX.Element {
  const clock = clockOf(run.startMs, run.timeZone)
  let free = -Infinity
  const labels = scale.moments.flatMap(({ t, at }) => {
    if (at < free) return []
    const text = clock(t).replace(/\.\d+$/, "")
    free = at + text.length * LETTER_UNITS + LABEL_GAP_UNITS
    return [{ t, text }]
  })
  return (
    <div class="lane axis" aria-hidden="true">
      <span class="lane-name" />
      <div class="track" style={run.notRun === null ? {} : { marginRight: `${NOT_RUN_PX}px` }}>
        {labels.map(({ t, text }) => (
          <span key={t} style={{ left: left(t) }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  )
}

function Row({
  name,
  kind,
  children,
}: {
  readonly name: string
  readonly kind: string
  readonly children: JSX.Element | readonly JSX.Element[]
}): JSX.Element {
  const parts = name.split(" · ")
  const part = parts.length > 1 ? parts.at(-1) : undefined
  return (
    <div class={`lane of-${kind}`}>
      <span class="lane-name" title={name}>
        <i class="hue" /> <span>{part === undefined ? name : parts.slice(0, -1).join(" · ")}</span>
        {part !== undefined && <span class="lane-part"> · {part}</span>}
      </span>
      <div class="track">{children}</div>
    </div>
  )
}

function StayBar({
  from,
  to,
  states,
  isEnd,
  address,
  run,
  left,
  scale,
  onMove,
}: Drawn & Stay & Pick<RunLane, "address">): JSX.Element {
  const until = Math.max(scale.placeOf(to), scale.placeOf(from))
  const clock = clockOf(run.startMs, run.timeZone)
  const isLast = to >= run.virtualMs
  const right = isLast ? 0 : 100 - (until / scale.width) * 100
  return (
    <span
      class={isEnd ? "stay end" : "stay"}
      style={{ left: left(from), right: `${right}%` }}
      title={`${states} from ${clock(from)}`}
      onClick={() => onMove({ t: from, address })}
    >
      {states}
      <span class="visually-hidden"> from {clock(from)}, </span>
    </span>
  )
}

function Dot({
  t,
  row,
  isBad,
  words,
  run,
  left,
  onMove,
}: Drawn & CourseMark & { readonly isBad: boolean; readonly words: string }): JSX.Element {
  const clock = clockOf(run.startMs, run.timeZone)
  return (
    <span
      class={isBad ? "dot bad" : "dot"}
      style={{ left: left(t) }}
      title={`${clock(t)} ${words}`}
      onClick={() => onMove({ t, row })}
    >
      <span aria-hidden="true">{isBad ? "✕" : "●"}</span>
      <span class="visually-hidden">
        {isBad ? "failed: " : ""}
        {clock(t)} {words},{" "}
      </span>
    </span>
  )
}

function Expectations(drawn: Drawn): JSX.Element | null {
  const { run, scale } = drawn
  const labelled = useMemo(() => labelledIn(run.expectations, scale), [run, scale])
  if (run.expectations.length === 0) return null
  return (
    <Row name="expectations" kind={labelled.size > 0 ? "steps labelled" : "steps"}>
      {run.expectations.map((expectation, at) => (
        <Expected key={at} {...drawn} expectation={expectation} hasLabel={labelled.has(expectation)} />
      ))}
    </Row>
  )
}

/** The mean width of a letter of a label, in units at their smallest. */
const LETTER_UNITS = 0.42

/** The expectations whose allowance is written below its bar: as many as do not cover each other, failed ones first. */
function labelledIn(expectations: readonly RunExpectation[], scale: TimeScale): ReadonlySet<RunExpectation> {
  const taken: (readonly [from: number, to: number])[] = []
  const shown = expectations.filter(({ allowed, from, until }) => allowed !== null && until > from)
  return new Set(
    shown
      .toSorted((a, b) => Number(a.isHeld) - Number(b.isHeld))
      .filter(({ from, allowed }) => {
        const begin = scale.placeOf(from)
        const end = begin + (allowed ?? "").length * LETTER_UNITS
        if (taken.some(([other, otherEnd]) => begin < otherEnd && other < end)) return false
        taken.push([begin, end])
        return true
      }),
  )
}

/** The allowance as a bar with its words, the decision as a sign. */
function Expected({
  expectation,
  hasLabel,
  run,
  left,
  scale,
  onMove,
}: Drawn & { readonly expectation: RunExpectation; readonly hasLabel: boolean }): JSX.Element {
  const { from, until, allowed, t, isHeld, words, cameAt } = expectation
  const clock = clockOf(run.startMs, run.timeZone)
  const [begin, end] = [scale.placeOf(from), scale.placeOf(Math.min(until, run.virtualMs))]
  return (
    <>
      {end > begin && (
        <span
          class={isHeld ? "allowance" : "allowance bad"}
          style={{ left: left(from), width: `${((end - begin) / scale.width) * 100}%` }}
          aria-hidden="true"
        />
      )}
      {hasLabel && (
        <span
          class={isHeld ? "allowed-words" : "allowed-words bad"}
          style={{ left: left(from) }}
          aria-hidden="true"
        >
          {allowed}
        </span>
      )}
      {cameAt !== null && (
        <span
          class="dot late"
          style={{ left: left(cameAt) }}
          title={`${clock(cameAt)} came too late: ${words}`}
        >
          <span aria-hidden="true">◆</span>
        </span>
      )}
      <span
        class={isHeld ? "dot good" : "dot bad"}
        style={{ left: left(t) }}
        title={`${clock(t)} ${isHeld ? "held" : "failed"}: ${words}`}
        onClick={() => onMove({ t })}
      >
        <span aria-hidden="true">{isHeld ? "✓" : "✕"}</span>
        <span class="visually-hidden">
          {isHeld ? "held" : "failed"} at {clock(t)}: {words},{" "}
        </span>
      </span>
    </>
  )
}
