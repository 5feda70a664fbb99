/** Which runs of `curbline run` failed and have not passed since, kept in the folder where the command was called, for `--failed`. */

import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { err, faultMessage } from "../kit/terminal.ts"
import { textAt } from "../kit/text-files.ts"

const FILE = ".curbline/cache/last-run.json"

/** One scenario on one seed. */
export interface RunName {
  readonly file: string
  readonly title: string
  readonly seed: number
}

/** The runs that failed and have not passed since; none if the file is missing or cannot be read. */
export function lastFailed(): readonly RunName[] {
  try {
    const kept: unknown = JSON.parse(textAt(FILE) ?? "{}")
    const failed = typeof kept === "object" && kept !== null && "failed" in kept ? kept.failed : []
    return Array.isArray(failed) ? failed.filter((one) => isRunName(one)) : []
  } catch {
    return []
  }
}

function isRunName(one: unknown): one is RunName {
  const { file, title, seed } = (one ?? {}) as Partial<Record<keyof RunName, unknown>>
  return typeof file === "string" && typeof title === "string" && typeof seed === "number"
}

/** A run that was made, and why it failed. */
interface MadeRun extends RunName {
  readonly failures: readonly unknown[]
  readonly fault: unknown
}

/**
 * Keeps which of these runs failed, and the earlier failures of runs that were not made now. Replaces the file as a whole; a folder
 * that cannot be written fails no run.
 */
export function keepFailed(made: readonly MadeRun[]): void {
  const keyOf = ({ file, title, seed }: RunName): string => JSON.stringify([file, title, seed])
  const keys = new Set(made.map(keyOf))
  const earlier = lastFailed().filter((one) => !keys.has(keyOf(one)) && existsSync(one.file))
  const now = made.filter(({ failures, fault }) => failures.length > 0 || fault !== null)
  const failed = [...earlier, ...now].map(({ file, title, seed }): RunName => ({ file, title, seed }))
  if (failed.length === 0 && textAt(FILE) === null) return
  try {
    mkdirSync(dirname(FILE), { recursive: true })
    const fresh = `${FILE}.${process.pid}`
    writeFileSync(fresh, `${JSON.stringify({ failed }, null, 2)}\n`)
    renameSync(fresh, FILE)
  } catch (cause) {
    err(`--failed will not know this run: ${FILE} cannot be written: ${faultMessage(cause)}`)
  }
}
