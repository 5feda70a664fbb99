/** The numbers of the model, and what the day would be with others: beside the map, which shows either day or both. */

import type { JSX } from "preact"
import type { CourseDifference } from "../../../../model/replay/course-difference.ts"
import type { ReplayRequest } from "../../../../model/replay/messages.ts"
import type { FleetNumber } from "../../../../model/replay/number-text.ts"
import { NumberSliders } from "../../components/number-sliders.tsx"
import { Button } from "../../design/button.tsx"
import { actorWords } from "../compare/comparison.ts"
import { breakLines, changedWords, unmatchedLine } from "./difference-words.ts"
import { orderName } from "../seen/actor-words.ts"
import { SeedPart } from "./seed-part.tsx"
import type { WhatIf } from "./what-if.ts"

interface WhatIfPaneProps {
  readonly numbers: readonly FleetNumber[]
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
  const { comparison, changed } = whatIf
  const words = changedWords(numbers, changed)
  return (
    <aside class="what-if" aria-label="What if">
      <header class="pane-title">
        <h2>What if</h2>
        <Button isSmall look="quiet" icon="cross" label="Close what if" onPress={onClose} />
      </header>
      <div class="scroll" tabIndex={0} role="region" aria-label="Numbers of the model">
        {numbers.length === 0 && <p class="quiet">No number of this model can be moved.</p>}
        <NumberSliders numbers={numbers} changed={changed} onMove={whatIf.move} run={run} />
      </div>
      {words.length > 0 && (
        <section class="outcome" aria-label="The changed day">
          <p class="quiet">{words.join("; ")}.</p>
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
