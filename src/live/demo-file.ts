/** `demo.json` in the data folder: what the demo's keys are. Readable by its owner alone. */

import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Demo } from "./demo.ts"

function demoFile(dataDir: string): string {
  return join(dataDir, "demo.json")
}

/** What an earlier start wrote, or null. */
export function readDemo(dataDir: string): Demo | null {
  try {
    return JSON.parse(readFileSync(demoFile(dataDir), "utf8")) as Demo
  } catch {
    return null
  }
}

/** Whole or not at all. */
export function writeDemo(dataDir: string, demo: Demo): void {
  const file = demoFile(dataDir)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
}
