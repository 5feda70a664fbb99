/** The change on twenty seeds instead of one: a button, how far it is, and what it says. */

import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Banner } from "../../design/feedback.tsx"
import { seedRows, seedSentence } from "./seed-words.ts"
import type { SeedRow } from "./seed-words.ts"
import { SEEDS } from "./use-seeds.ts"
import type { SeedRuns } from "./use-seeds.ts"

export function SeedPart({ seeds }: { readonly seeds: SeedRuns }): JSX.Element {
  const { is, written, changed, message, start, cancel } = seeds
  const isWhole = written.size === SEEDS && changed.size === SEEDS
  const hasSome = is !== "running" && [...changed.keys()].filter((seed) => written.has(seed)).length > 1
  return (
    <section class="seeds" aria-label="More seeds">
      {is === "running" && <Running done={written.size + changed.size} onCancel={cancel} />}
      {is === "failed" && <Banner tone="bad">The seeds stopped: {message}</Banner>}
      {is !== "running" && !isWhole && (
        <div class="row">
          <Button isSmall icon="repeat" onPress={start}>
            {changed.size > 0 ? `Go on to ${SEEDS} seeds` : `On ${SEEDS} seeds`}
          </Button>
          {changed.size === 0 && <span class="quiet">One day may be chance.</span>}
        </div>
      )}
      {/* Nothing is said of seeds that still come: who looks at each would stop at the one that pleases. */}
      <p role="status" class="seed-sentence">
        {hasSome ? seedSentence(written, changed) : null}
      </p>
      {hasSome && <SeedTable rows={seedRows(written, changed)} />}
    </section>
  )
}

function Running({ done, onCancel }: { readonly done: number; readonly onCancel: () => void }): JSX.Element {
  return (
    <div class="seed-progress">
      <progress max={2 * SEEDS} value={done} aria-label="Runs of both models that are done" />
      <span class="quiet number">
        {done} of {2 * SEEDS} runs
      </span>
      <Button isSmall onPress={onCancel}>
        Cancel
      </Button>
    </div>
  )
}

function SeedTable({ rows }: { readonly rows: readonly SeedRow[] }): JSX.Element {
  return (
    <table class="seed-table">
      <caption class="visually-hidden">Means a day, and their difference with its 95 % interval</caption>
      <thead>
        <tr>
          <th scope="col">Mean a day</th>
          <th scope="col">A</th>
          <th scope="col">B</th>
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, written, changed, difference, interval, isBetter }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{written}</td>
            <td>{changed}</td>
            <td>
              <strong class={isBetter === null ? "quiet" : isBetter ? "good" : "bad"}>{difference}</strong>
              <span class="quiet">{interval}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
