/** "Try seeds 1 to 50": a square for each seed, which opens the course of that seed. */

import type { JSX } from "preact"
import { Button } from "../design/button.tsx"
import { Icon } from "../design/icon.tsx"
import type { SeedResult } from "./contract.ts"
import type { StudioActions, StudioState } from "./studio-state.ts"
import { seedsSentence } from "./tried-seeds.ts"

interface SeedsProps {
  readonly state: StudioState
  readonly actions: StudioActions
  /** That of the shown run. */
  readonly seed: number
}

export function Seeds({ state, actions, seed }: SeedsProps): JSX.Element {
  const { seeds, file, text } = state
  const tried = seeds !== null && seeds.path === file?.path ? seeds : null
  const isStale = tried !== null && tried.text !== text
  return (
    <section class="seeds" aria-label="Other seeds">
      <div class="row">
        {tried?.isRunning === true ? (
          <Button isSmall onPress={actions.stopSeeds}>
            Stop
          </Button>
        ) : (
          <Button isSmall icon="play" onPress={() => void actions.trySeeds()}>
            Try seeds 1 to 50
          </Button>
        )}
        <span class="quiet" role="status">
          {tried === null
            ? `This run has seed ${seed}. Another seed draws other chances.`
            : `${seedsSentence(tried)}${isStale ? " The text has changed since." : ""}`}
        </span>
      </div>
      {tried !== null && tried.results.length > 0 && (
        <ol class="seed-squares">
          {tried.results.map((result) => (
            <li key={result.seed}>
              <Square
                result={result}
                isShown={result.seed === seed}
                onOpen={() => void actions.runWithSeed(result.seed)}
              />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

interface SquareProps {
  readonly result: SeedResult
  readonly isShown: boolean
  readonly onOpen: () => void
}

function Square({ result: { seed, verdict, message }, isShown, onOpen }: SquareProps): JSX.Element {
  const hasPassed = verdict === "passed"
  const label = `Seed ${seed}: ${hasPassed ? "passed" : (message ?? "failed")}`
  return (
    <button
      type="button"
      class={hasPassed ? "seed-square" : "seed-square bad"}
      aria-label={label}
      aria-current={isShown}
      title={label}
      onClick={onOpen}
    >
      {hasPassed ? seed : <Icon name="cross" />}
    </button>
  )
}
