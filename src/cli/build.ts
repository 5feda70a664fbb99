/** What a record says about the program that made it. */

import { readFileSync } from "node:fs"
import { machines } from "../../machines/index.ts"
import { chartOf } from "../chart/document.ts"
import type { MachineId } from "../../machines/index.ts"
import type { RecordContext, Recording } from "../simulation/record.ts"

/** `curbline 0.1.0`, from package.json. */
export function buildName(): string {
  const file = new URL("../../package.json", import.meta.url)
  const { name, version } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly name: string
    readonly version: string
  }
  return `${name} ${version}`
}

export function recordContext(recording: Recording = "full"): RecordContext {
  const ids = Object.keys(machines) as MachineId[]
  return {
    recording,
    build: buildName(),
    charts: Object.fromEntries(ids.map((id) => [id, chartOf(id, machines[id])])),
  }
}
