/** What may be changed from now on, the numbers of the model, and what the day would be with others: beside the map, which shows either day or both. */

import type { JSX } from "preact"
import { changeWords } from "../../../../model/replay/change-text.ts"
import type { ChangeOffer } from "../../../../model/replay/change-text.ts"
import type { CourseDifference } from "../../../../model/replay/course-difference.ts"
import type { ReplayRequest } from "../../../../model/replay/messages.ts"
import type { FleetNumber } from "../../../../model/replay/number-text.ts"
import { NumberSliders } from "../../components/number-sliders.tsx"
import { Button } from "../../design/button.tsx"
import { actorWords } from "../compare/comparison.ts"
import { ChangeControls } from "./change-controls.tsx"
import { breakLines, changedWords, unmatchedLine } from "./difference-words.ts"
import { orderName } from "../seen/actor-words.ts"
import { withChange } from "./made-changes.ts"
import { SeedPart } from "./seed-part.tsx"
import type { WhatIf } from "./what-if.ts"

interface WhatIfPaneProps {
  readonly numbers: readonly FleetNumber[]
  readonly offers: readonly ChangeOffer[]
  /** Where a change begins: the whole minute at or after the playhead. */
  readonly atMs: number
  /** No change begins after it: orders come until then. */
  readonly horizonMs: number
  /** A vehicle by its name. */
  readonly vehicleWords: (name: string) => string
  /** The name of a picked actor; null without one. */
  readonly picked: string | null
  readonly whatIf: WhatIf
  readonly onJump: (ms: number) => void
  /** Takes the name of an actor. */
  readonly onPick: (name: string) => void
  /** An instant as the page shows it. */
  readonly timeOf: (ms: number) => string
  readonly onClose: () => void
  /** The day as it is written. */
  readonly run: ReplayRequest
}

export function WhatIfPane(props: WhatIfPaneProps): JSX.Element {
  const { numbers, whatIf, onClose, run } = props
  const { comparison } = whatIf
  return (
    <aside class="what-if" aria-label="What if">
      <header class="pane-title">
        <h2>What if</h2>
        <Button isSmall look="quiet" icon="cross" label="Close what if" onPress={onClose} />
      </header>
      <div class="scroll" tabIndex={0} role="region" aria-label="Numbers of the model">
        <FromNow {...props} />
        <h3>All day</h3>
        {numbers.length === 0 && <p class="quiet">No number of this model can be moved.</p>}
        <NumberSliders numbers={numbers} changed={whatIf.numbers} onMove={whatIf.move} run={run} />
      </div>
      {whatIf.isChanged && (
        <section class="outcome" aria-label="The changed day">
          <Made {...props} />
          {comparison !== null && <Outcome {...props} difference={comparison.difference} />}
          {comparison !== null && <SeedPart seeds={whatIf.seeds} />}
          <p class="actions">
            <Button isSmall look="quiet" onPress={whatIf.reset}>
              Reset
            </Button>
            <a
              class="button small"
              download={run.file.replace(/^.*\//, "").replace(/\.ya?ml$/, "-changed.yaml")}
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

/** Controls of what holds from the playhead on. */
function FromNow(props: WhatIfPaneProps): JSX.Element {
  const { offers, whatIf, atMs, horizonMs, timeOf, picked, vehicleWords } = props
  if (atMs >= horizonMs)
    return <p class="quiet">No change begins here: orders come until {timeOf(horizonMs)}.</p>
  const at = timeOf(atMs).replace(/:00$/, "")
  return (
    <ChangeControls
      {...{ offers, atMs, at, picked, vehicleWords }}
      changes={whatIf.changes}
      onChange={whatIf.setChanges}
    />
  )
}

/** What differs from the day as it is written. A press takes a change away. */
function Made({ numbers, whatIf, timeOf, onJump }: WhatIfPaneProps): JSX.Element {
  const { changes } = whatIf
  const words = changedWords(numbers, whatIf.numbers)
  return (
    <>
      {words.length > 0 && <p class="quiet">{words.join("; ")}.</p>}
      {changes.length > 0 && (
        <ul class="made" aria-label="Changes">
          {changes.map((change) => {
            const at = timeOf(change.atMs).replace(/:00$/, "")
            return (
              <li key={`${change.atMs} ${change.name}`}>
                <span>
                  From{" "}
                  <button type="button" class="as-link" onClick={() => onJump(change.atMs)}>
                    {at}
                  </button>{" "}
                  on: {changeWords(change)}
                </span>
                <Button
                  isSmall
                  look="quiet"
                  icon="cross"
                  label={`Remove from ${at} on: ${changeWords(change)}`}
                  onPress={() => whatIf.setChanges(withChange(changes, change, null))}
                />
              </li>
            )
          })}
        </ul>
      )}
    </>
  )
}

interface OutcomeProps extends WhatIfPaneProps {
  readonly difference: CourseDifference
}

function Outcome({ difference, onJump, onPick, timeOf }: OutcomeProps): JSX.Element {
  const { points, saved, lost } = difference
  const parting = points.find(({ is }) => is === "parts")
  const unmatched = unmatchedLine(difference)
  return (
    <div>
      {parting !== undefined && (
        <p>
          They part at{" "}
          <button type="button" class="as-link" onClick={() => onJump(parting.atMs)}>
            {timeOf(parting.atMs)}
          </button>
          , with {actorWords(parting)}.
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
