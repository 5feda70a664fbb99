/** The numbers of the model, and what the day would be with others: beside the map, which shows the day as written or the changed one. */

import type { JSX } from "preact"
import type { CourseDifference } from "../../../model/replay/course-difference.ts"
import type { FleetNumber } from "../../../model/replay/number-text.ts"
import { NumberSliders } from "../components/number-sliders.tsx"
import { Button } from "../design/button.tsx"
import { Banner } from "../design/feedback.tsx"
import { breakLines, changedWords, differenceHeadline, unmatchedLine } from "./difference-words.ts"
import type { Session } from "./session.ts"
import { orderName, shortName } from "./seen/actor-words.ts"
import type { WhatIf } from "./what-if.ts"

const DAYS = [
  ["written", "As written"],
  ["changed", "Changed"],
] as const

export type ShownDay = (typeof DAYS)[number][0]

interface WhatIfPaneProps {
  readonly numbers: readonly FleetNumber[]
  readonly whatIf: WhatIf
  readonly day: ShownDay
  readonly onDay: (day: ShownDay) => void
  readonly onJump: (ms: number) => void
  /** Takes the name of an actor. */
  readonly onPick: (name: string) => void
  /** An instant as the page shows it. */
  readonly timeOf: (ms: number) => string
  readonly onClose: () => void
  /** Name of the model's file. */
  readonly file: string
}

export function WhatIfPane(props: WhatIfPaneProps): JSX.Element {
  const { numbers, whatIf, day, onDay, onClose, file } = props
  const { session, difference, changed } = whatIf
  const words = changedWords(numbers, changed)
  return (
    <aside class="what-if" aria-label="What if">
      <header class="pane-title">
        <h2>What if</h2>
        <Button isSmall look="quiet" icon="cross" label="Close what if" onPress={onClose} />
      </header>
      <div class="scroll" tabIndex={0} role="region" aria-label="Numbers of the model">
        {numbers.length === 0 && <p class="quiet">No number of this model can be moved.</p>}
        <NumberSliders numbers={numbers} changed={changed} onMove={whatIf.move} />
      </div>
      {words.length > 0 && (
        <section class="outcome" aria-label="The changed day">
          <div class="joined" role="group" aria-label="Which day is shown">
            {DAYS.map(([one, name]) => (
              <button key={one} type="button" aria-pressed={one === day} onClick={() => onDay(one)}>
                {name}
              </button>
            ))}
          </div>
          <p class="quiet">{words.join("; ")}.</p>
          <Standing session={session} />
          {difference !== null && <Outcome {...props} difference={difference} />}
          <p class="actions">
            <Button isSmall look="quiet" onPress={whatIf.reset}>
              Reset
            </Button>
            <a
              class="button small"
              download={file.replace(/^.*\//, "").replace(/\.ya?ml$/, "-changed.yaml")}
              href={`data:text/yaml;charset=utf-8,${encodeURIComponent(whatIf.text)}`}
            >
              Keep as a model
            </a>
          </p>
        </section>
      )}
    </aside>
  )
}

function Standing({ session }: { readonly session: Session | null }): JSX.Element | null {
  if (session?.status.is === "failed")
    return <Banner tone="bad">The changed day stopped: {session.status.mistake.message}</Banner>
  if (session === null || session.status.is !== "done") return <p role="status">Computing the changed day…</p>
  return null
}

interface OutcomeProps extends WhatIfPaneProps {
  readonly difference: CourseDifference
}

function Outcome({ difference, onJump, onPick, timeOf }: OutcomeProps): JSX.Element {
  const { partsAtMs, partsWith, saved, lost } = difference
  const unmatched = unmatchedLine(difference)
  return (
    <div role="status">
      <h3>{differenceHeadline(difference)}</h3>
      {partsAtMs !== null && (
        <p>
          They part at{" "}
          <button type="button" class="as-link" onClick={() => onJump(partsAtMs)}>
            {timeOf(partsAtMs)}
          </button>
          , with {shortName(partsWith ?? "")}.
        </p>
      )}
      <ul>
        {breakLines(difference).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <Named words="Saved" names={saved} onPick={onPick} />
      <Named words="Lost" names={lost} onPick={onPick} />
      {unmatched !== "" && <p class="quiet">{unmatched}</p>}
    </div>
  )
}

/** Names that are listed before the rest is counted. */
const NAMES_MAX = 12

interface NamedProps {
  readonly words: string
  readonly names: readonly string[]
  readonly onPick: WhatIfPaneProps["onPick"]
}

function Named({ words, names, onPick }: NamedProps): JSX.Element | null {
  if (names.length === 0) return null
  return (
    <p class="named">
      {words}:{" "}
      {names.slice(0, NAMES_MAX).map((name) => (
        <button key={name} type="button" class="as-link mono" onClick={() => onPick(name)}>
          {orderName(name)}
        </button>
      ))}
      {names.length > NAMES_MAX && <span class="quiet"> and {names.length - NAMES_MAX} more</span>}
    </p>
  )
}
