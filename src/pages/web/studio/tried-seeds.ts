/** A scenario with one seed after the other: who walks how fast and which call is late changes with it. */

import { listed } from "../../../model/values/listed.ts"
import type { Client } from "./client.ts"
import type { RunRequest, SeedResult } from "./contract.ts"

/** What seeds 1, 2, … gave for a text of a file. */
export interface TriedSeeds {
  readonly path: string
  readonly text: string
  readonly results: readonly SeedResult[]
  readonly isRunning: boolean
}

export interface Trying {
  readonly client: Pick<Client, "trySeeds">
  readonly asked: RunRequest
  /** The text in the editor. */
  readonly text: string
  readonly signal: AbortSignal
  readonly show: (tried: TriedSeeds) => void
}

/** Shows each result as it comes, and those that there are when it is stopped. */
export async function triedSeeds({ client, asked, text, signal, show }: Trying): Promise<void> {
  const results: SeedResult[] = []
  const showSoFar = (isRunning: boolean): void =>
    show({ path: asked.path, text, results: [...results], isRunning })
  showSoFar(true)
  try {
    await client.trySeeds(
      asked,
      (progress) => {
        if (progress.is !== "seed") return
        results.push(progress.result)
        showSoFar(true)
      },
      signal,
    )
  } finally {
    showSoFar(false)
  }
}

/** `48 passed; seeds 7 and 31 failed.` */
export function seedsSentence({ results, isRunning }: Pick<TriedSeeds, "isRunning" | "results">): string {
  const [unreadable] = results.filter(({ verdict }) => verdict === "unreadable")
  if (unreadable !== undefined) return `Not run: ${unreadable.message ?? "the file has a mistake"}.`
  const bad = results.filter(({ verdict }) => verdict !== "passed").map(({ seed }) => seed)
  const passed = results.length - bad.length
  if (isRunning) return `${results.length} tried${bad.length === 0 ? "" : `, ${bad.length} failed`}`
  if (bad.length === 0) return passed === 0 ? "Stopped before the first ended." : `All ${passed} passed.`
  const which = bad.length === 1 ? `seed ${bad[0]} failed` : `seeds ${firstOf(bad)} failed`
  return passed === 0 ? `All ${bad.length} failed.` : `${passed} passed; ${which}.`
}

/** `7, 12 and 31`; the first eight of many. */
function firstOf(seeds: readonly number[]): string {
  const shown = seeds.slice(0, 8).map(String)
  const left = seeds.length - shown.length
  return listed(left === 0 ? shown : [...shown, `${left} more`])
}
