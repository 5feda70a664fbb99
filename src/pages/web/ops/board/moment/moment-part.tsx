/** "When was it lost?" in a drawer: asks the service, shows how far it is, and then from which entry on the case could no longer be saved. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../../design/button.tsx"
import { Banner, Failure, Skeleton } from "../../../design/feedback.tsx"
import { useCommand, useRefresh, useResource } from "../../../resource.ts"
import { may } from "../../session.ts"
import { readMoment, stopMoment } from "../calls.ts"
import type { MomentOf } from "../calls.ts"
import { DrawerPart, InspectorLink } from "../drawer-parts.tsx"
import type { MomentAnswer, MomentFigures, MomentRecord } from "../records.ts"
import { daySeconds } from "../times.ts"
import { MomentCurve } from "./moment-curve.tsx"
import { failureWords, footWords, historyWords, percent, progressWords } from "./moment-words.ts"

/** ms between reads while it is made */
const MAKING_MS = 2_000

interface MomentPartProps {
  readonly of: MomentOf
  readonly timezone: string | null
  readonly nowMs: number
}

export function MomentPart(props: MomentPartProps): JSX.Element {
  const [isAsked, setAsked] = useState(false)
  if (isAsked) return <Asked {...props} onStopped={() => setAsked(false)} />
  return (
    <DrawerPart>
      <div class="moves">
        <Button onPress={() => setAsked(true)}>When was it lost?</Button>
        <p class="consequence">
          Finds the entry after which it could no longer be saved, and what would have saved it. It takes some
          minutes.
        </p>
      </div>
    </DrawerPart>
  )
}

function Asked({
  of,
  timezone,
  nowMs,
  onStopped,
}: MomentPartProps & { readonly onStopped: () => void }): JSX.Element {
  const { data, fault, reload } = useResource(() => readMoment(of), [of.kind, of.id])
  useRefresh(reload, data?.state === "being_made" ? MAKING_MS : null)
  const stop = useCommand(async () => {
    await stopMoment(of)
    onStopped()
  })
  const link = data?.answer === null || data === null ? null : <EntryLink answer={data.answer} of={of} />
  return (
    <DrawerPart title="When was it lost?" action={link}>
      {data === null ? (
        fault === null ? (
          <Skeleton lines={3} />
        ) : (
          <Failure
            title="The moment could not be read"
            failure={fault}
            action={<Button onPress={() => void reload()}>Try again</Button>}
          />
        )
      ) : (
        <State
          moment={data}
          timezone={timezone}
          nowMs={nowMs}
          onAgain={() => void reload()}
          stop={
            may("dispatcher") ? (
              <Button isSmall isBusy={stop.isBusy} onPress={() => stop.send()}>
                Stop
              </Button>
            ) : null
          }
        />
      )}
      {stop.fault === null ? null : <Banner tone="bad">{stop.fault.message}</Banner>}
    </DrawerPart>
  )
}

/** To the group of the entry that was the moment, or of the case. */
function EntryLink({ answer, of }: { readonly answer: MomentAnswer; readonly of: MomentOf }): JSX.Element {
  const { curve = [], step = null } = answer.figures ?? {}
  const group = curve.find(({ entry }) => entry === step?.entry)?.group
  return <InspectorLink group={group ?? `${of.kind}/${of.id}`} />
}

interface StateProps {
  readonly moment: MomentRecord
  readonly timezone: string | null
  readonly nowMs: number
  readonly onAgain: () => void
  /** For who may stop it. */
  readonly stop: JSX.Element | null
}

function State({ moment, timezone, nowMs, onAgain, stop }: StateProps): JSX.Element {
  const { state, answer } = moment
  switch (state) {
    case "being_made":
      return (
        <div class="moves">
          {stop}
          <p class="consequence" role="status">
            {progressWords(moment.progress)}
          </p>
        </div>
      )
    case "too_little_history":
      return <p class="moment-words">{historyWords(moment)}</p>
    case "not_lost":
      return <p class="moment-words">{answer?.outcome}</p>
    case "unavailable":
      return (
        <div class="moves">
          <Button isSmall onPress={onAgain}>
            Ask again
          </Button>
          <p class="consequence" role="status">
            {failureWords(moment)}
          </p>
        </div>
      )
    case "ready":
      return answer === null ? (
        <Skeleton lines={3} />
      ) : (
        <Answer answer={answer} zone={timezone} nowMs={nowMs} />
      )
  }
}

interface AnswerProps {
  readonly answer: MomentAnswer
  readonly zone: string | null
  readonly nowMs: number
}

function Answer({ answer, zone, nowMs }: AnswerProps): JSX.Element {
  const { figures, outcome, headline, best, at } = answer
  return (
    <>
      <p class="moment-words">{outcome}</p>
      <p class="moment-headline" role="status">
        {headline}
      </p>
      {figures === null || at === null ? null : (
        <>
          <MomentCurve figures={figures} factAt={at} zone={zone} />
          <p class="moment-words">{best}</p>
          <details class="moment-entries">
            <summary>After each entry</summary>
            <Entries figures={figures} zone={zone} nowMs={nowMs} />
          </details>
          <p class="tiny faint">{footWords(answer)}</p>
        </>
      )}
    </>
  )
}

function Entries({
  figures,
  zone,
  nowMs,
}: Omit<AnswerProps, "answer"> & { readonly figures: MomentFigures }): JSX.Element {
  return (
    <table class="table" aria-label="How likely the bad end was after each entry">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Entry</th>
          <th scope="col">Likely</th>
        </tr>
      </thead>
      <tbody>
        {figures.curve.map(({ entry, at, what, odds }) => (
          <tr key={entry} class={entry === figures.step?.entry ? "is-moment" : ""}>
            <td>{daySeconds(at, zone, nowMs)}</td>
            <td>{what}</td>
            <td title={`${percent(odds.low)} to ${percent(odds.high)} of ${odds.futures} futures`}>
              {percent(odds.value)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
