/** Which process holds a data folder: the embedded database has room for one. */

import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export interface RunningServiceNote {
  readonly pid: number
}

/** The process that serves from the folder, or null. A note that a killed process left behind counts as none. */
export function runningService(data: string): RunningServiceNote | null {
  try {
    const note = JSON.parse(readFileSync(fileOf(data), "utf8")) as RunningServiceNote
    process.kill(note.pid, 0)
    return note.pid === process.pid ? null : note
  } catch {
    return null
  }
}

export function noteRunning(data: string): void {
  writeFileSync(fileOf(data), JSON.stringify({ pid: process.pid }))
}

export function forgetRunning(data: string): void {
  rmSync(fileOf(data), { force: true })
}

function fileOf(data: string): string {
  return join(data, "service.json")
}
