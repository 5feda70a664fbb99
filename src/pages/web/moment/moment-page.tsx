/** The page "When was it lost?": when a late or lost order could no longer be saved, and what would have saved it. */

import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { keepCommand } from "../../inspection/keep-command.ts"
import type { MomentData } from "../../inspection/moment-data.ts"
import { Button, ShortId, hasCopied } from "../design/button.tsx"
import { Banner, Toasts, toast } from "../design/feedback.tsx"
import { Icon } from "../design/icon.tsx"
import type { IconName } from "../design/icon.tsx"
import { Mark } from "../design/mark.tsx"
import { Pill } from "../design/pill.tsx"
import type { Tone } from "../design/pill.tsx"
import { Curve } from "./curve.tsx"
import {
  bestOf,
  clockOf,
  decisionsOf,
  entriesOf,
  footWords,
  interval,
  opensAt,
  percent,
  reportText,
} from "./figures.ts"
import type { Answer, Entry, Figures, ShownDecision } from "./figures.ts"
import { Log } from "./log.tsx"
import { Machine } from "./machine.tsx"
import { WhatIfs } from "./what-ifs.tsx"

export function MomentPage({ data }: { readonly data: MomentData }): JSX.Element {
  const { answer, record } = data
  const { figures } = answer
  return (
    <div class="moment">
      <TopBar answer={answer} record={record} />
      {figures === null || answer.at === null ? (
        <main>
          <Nothing answer={answer} />
        </main>
      ) : (
        <Found {...data} figures={figures} factAt={answer.at} />
      )}
      <Toasts />
    </div>
  )
}

const PILLS: Readonly<Record<Answer["is"], readonly [tone: Tone, icon: IconName, words: string]>> = {
  bad: ["bad", "triangle-alert", "Late"],
  good: ["ok", "check", "In time"],
  called_off: ["idle", "ban", "Called off"],
  open: ["move", "clock", "Open"],
  left_out: ["wait", "circle-dashed", "Not in the model"],
  unknown: ["wait", "circle-dashed", "Not in the record"],
}

interface TopBarProps {
  /** Null while it is counted. */
  readonly answer: Answer | null
  readonly record: string
}

export function TopBar({ answer, record }: TopBarProps): JSX.Element {
  return (
    <>
      <div class="environment" role="region" aria-label="Environment">
        <span class="badge">RECORD</span>
        <span>{record}, read only</span>
        <span class="end quiet more">{answer?.time_zone}</span>
      </div>
      <header class="moment-top">
        <Mark />
        <strong>When was it lost?</strong>
        {answer === null ? (
          <Pill tone="move" icon="loader">
            Counting futures
          </Pill>
        ) : (
          <Standing answer={answer} record={record} />
        )}
      </header>
    </>
  )
}

interface StandingProps {
  readonly answer: Answer
  readonly record: string
}

function Standing({ answer, record }: StandingProps): JSX.Element {
  const [tone, icon, words] = PILLS[answer.is]
  const text = reportText(answer)
  const copy = async (): Promise<void> => {
    toast((await hasCopied(text)) ? "The answer is copied." : `Copy this: ${text}`)
  }
  return (
    <>
      <Pill tone={tone} icon={icon}>
        {answer.figures === null ? words : badWord(answer.asked.kind, answer.figures.how)}
      </Pill>
      <span class="grow" />
      {answer.asked.id !== null && (
        <KeepButton group={answer.asked.id} because={answer.headline} file={record} />
      )}
      <Button look="primary" icon="copy" onPress={() => void copy()}>
        <span class="words">Copy for the report</span>
      </Button>
    </>
  )
}

interface KeepButtonProps {
  readonly file: string
  readonly group: string
  readonly because: string | null
}

/** Copies the command that writes the case as a scenario, with the sentence of this page. */
function KeepButton({ file, group, because }: KeepButtonProps): JSX.Element {
  const command = keepCommand({ file, group, because: because ?? "" })
  const copy = async (): Promise<void> => {
    const said = "The command is copied; paste it into a terminal, in the folder of the record."
    toast((await hasCopied(command)) ? said : `Paste this into a terminal: ${command}`)
  }
  return (
    <Button icon="book-open" onPress={() => void copy()}>
      <span class="words">Keep as a scenario</span>
    </Button>
  )
}

function badWord(kind: Answer["asked"]["kind"], how: Figures["how"]): string {
  if (kind === "promise") return "Broken"
  return how === "lost" ? "Lost" : "Late"
}

const NOTHING: Readonly<Record<Exclude<Answer["is"], "bad">, string>> = {
  good: "Only an order that ended badly has a moment at which it was lost.",
  called_off: "Only an order that ended badly has a moment at which it was lost.",
  open: "A record that goes on until it ended has the answer.",
  left_out: "A model with a place for it has the answer: name one with --model.",
  unknown: "The record of the whole site has it.",
}

function Nothing({ answer: { is, outcome } }: { readonly answer: Answer }): JSX.Element {
  return (
    <section class="hero">
      <h1>{outcome}</h1>
      {is !== "bad" && <p class="lead">{NOTHING[is]}</p>}
    </section>
  )
}

interface FoundProps extends MomentData {
  readonly figures: Figures
  readonly factAt: string
}

function Found({ answer, chart, figures, factAt }: FoundProps): JSX.Element {
  const zone = answer.time_zone
  const entries = entriesOf(figures, zone)
  const decisions = decisionsOf(figures, zone)
  const [chosen, setChosen] = useState(() => opensAt(entries, figures))
  const shared = { entries, chosen, onChoose: setChosen }
  const { step, waiting, is_cut: isCut } = figures
  const untilMs = entries.find(({ number }) => number === step?.entry)?.ms ?? Date.parse(factAt)
  const hasMachine = waiting !== null && chart !== null
  return (
    <main>
      <section class="hero">
        <Subject answer={answer} />
        <h1>{answer.headline}</h1>
        <p class="lead">{answer.best}</p>
        {isCut && <Banner tone="wait">It was stopped before its end: the curve is coarse.</Banner>}
        <Facts {...{ answer, figures, entries, decisions }} factTime={clockOf(zone)(factAt)} />
      </section>
      <Curve {...shared} factMs={Date.parse(factAt)} timeZone={zone} best={bestOf(decisions)} />
      <div class={hasMachine ? "parts" : "parts without-machine"}>
        <Log {...shared} />
        {hasMachine && <Machine {...{ waiting, chart, untilMs }} timeZone={zone} />}
        <WhatIfs decisions={decisions} />
      </div>
      <Foot figures={figures} />
    </main>
  )
}

function Subject({ answer: { asked } }: { readonly answer: Answer }): JSX.Element {
  return (
    <p class="subject quiet small">
      {asked.id === null ? (
        <>
          Promise <span class="mono">{`${asked.metric} ${asked.bound}`}</span>
        </>
      ) : (
        <>
          {asked.kind === "reservation" ? "Reservation" : "Delivery"}{" "}
          <ShortId id={asked.id} label="Copy the id" />
        </>
      )}
    </p>
  )
}

interface FactsProps {
  readonly answer: Answer
  readonly figures: Figures
  readonly entries: readonly Entry[]
  readonly decisions: readonly ShownDecision[]
  readonly factTime: string
}

function Facts({ answer, figures: { how, step }, entries, decisions, factTime }: FactsProps): JSX.Element {
  const [first] = entries
  const moment = entries.findIndex(({ isMoment }) => isMoment)
  const [before, entry] = [entries[moment - 1], entries[moment]]
  const last = entries.at(-1)
  const best = bestOf(decisions)
  return (
    <dl class="facts">
      <Fact
        name="What went wrong"
        value={<span class="bad">{`${badWord(answer.asked.kind, how)} at ${factTime}`}</span>}
      >
        {answer.outcome}
      </Fact>
      <Fact name="Odds of that" value={first === undefined ? "" : `${percent(first.odds.value)} at first`}>
        {before === undefined || entry === undefined
          ? last !== undefined && `${percent(last.odds.value)} (${interval(last.odds)}) after the last entry`
          : `${percent(before.odds.value)} before ${entry.time}, then ${percent(entry.odds.value)} (${interval(entry.odds)})`}
      </Fact>
      <Fact name="The cause" value={entry?.cause ?? "No single one"}>
        {entry === undefined ? "no entry stands out" : entryWords(entry, step)}
      </Fact>
      <Fact name="Last chance" value={best?.words ?? "None that was tried"}>
        {best !== null &&
          `${best.when}: ${percent(best.shown.odds.value)} instead of ${percent(best.shown.as_it_was.value)}`}
      </Fact>
    </dl>
  )
}

/** A wait ends with the entry that the log marks. */
function entryWords({ number, time, what }: Entry, step: Figures["step"]): string {
  const entry = `entry ${number}, ${time}`
  return step === null || step.waited_ms === null ? entry : `until ${entry}: ${what}`
}

interface FactProps {
  readonly name: string
  readonly value: ComponentChildren
  readonly children: ComponentChildren
}

function Fact({ name, value, children }: FactProps): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        <span class="quiet small">{children}</span>
      </dd>
    </div>
  )
}

function Foot({ figures }: { readonly figures: Figures }): JSX.Element {
  const { left_out: leftOut, not_known: notKnown } = figures
  return (
    <footer class="quiet small">
      <p>{footWords(figures)}</p>
      <p>{notKnown.join(" ")}</p>
      {leftOut.length > 0 && (
        <p>
          <Icon name="circle-alert" /> Left out of the model:{" "}
          {leftOut.map(({ what, count }) => `${count} × ${what}`).join(", ")}.
        </p>
      )}
    </footer>
  )
}
