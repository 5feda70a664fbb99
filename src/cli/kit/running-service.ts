/**
 * The addresses of a data folder's running service, for commands that work beside it. The folder's lock shows which
 * process holds it.
 */

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Environment } from "../../model/caller.ts"
import { FolderUnusable } from "../../engine/store/data-folder.ts"

export interface RunningServiceNote {
  readonly pid: number
  readonly base_urls: Readonly<Record<Environment, string>>
  /** The socket of `control.ts`; services of older versions have none. */
  readonly control?: string
}

/** The note of the folder's running service, or null. A note that a killed process left behind is ignored. */
export function runningService(data: string): RunningServiceNote | null {
  try {
    const note = JSON.parse(readFileSync(fileOf(data), "utf8")) as RunningServiceNote
    process.kill(note.pid, 0)
    return note
  } catch {
    return null
  }
}

/** Takes the place of a note that a killed service left, also one of another user. Throws a `FolderUnusable`. */
export function noteRunning(data: string, { base_urls, control }: Omit<RunningServiceNote, "pid">): void {
  const note: RunningServiceNote = {
    pid: process.pid,
    base_urls,
    ...(control === undefined ? {} : { control }),
  }
  const draft = `${fileOf(data)}.${process.pid}`
  try {
    writeFileSync(draft, JSON.stringify(note))
    renameSync(draft, fileOf(data))
  } catch (found) {
    rmSync(draft, { force: true })
    throw new FolderUnusable({ folder: data, found })
  }
}

export function forgetRunning(data: string): void {
  rmSync(fileOf(data), { force: true })
}

function fileOf(data: string): string {
  return join(data, "service.json")
}
