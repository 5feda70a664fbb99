/** Entries of the record for a view: loaded on demand; results for an earlier moment are dropped. */

import { useEffect, useState } from "preact/hooks"
import type { JsonObject } from "../../../model/values/json.ts"
import { NONE, at } from "../../inspection/run-index.ts"
import { entryAt } from "./sources/record-source.ts"
import type { OpenRun } from "./sources/record-source.ts"

/** The result of an async read; null before the first. The last result stays until the next one arrives. */
export function useRead<Result>(read: () => Promise<Result>, on: readonly unknown[]): Result | null {
  const [result, setResult] = useState<Result | null>(null)
  useEffect(() => {
    let isCurrent = true
    void settled(read).then((found) => {
      if (isCurrent) setResult(() => found)
      return found
    })
    return () => {
      isCurrent = false
    }
  }, on)
  return result
}

/** A failed read gives null. */
async function settled<Result>(read: () => Promise<Result>): Promise<Result | null> {
  try {
    return await read()
  } catch {
    return null
  }
}

/** The actor's context after a step; null if the record has none. */
export async function contextAfter(run: OpenRun, step: number): Promise<JsonObject | null> {
  if (step === NONE) return null
  const row = at(run.index.stepRow, step)
  const entry = await entryAt(run, row)
  return entry?.steps[step - at(run.index.firstStep, row)]?.context ?? null
}
