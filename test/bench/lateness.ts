/** How late a wake-up was, on each database: what the benchmarks of wake-ups have in common. */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Layer } from "effect"
import { layerPglite, layerPostgres } from "../../src/engine/store/database.ts"
import type { Database, DatabaseFault } from "../../src/engine/store/database.ts"
import { startServer } from "../engine/store/postgres-server.ts"

/** Milliseconds late, in any order. */
export function printLateness(name: string, lateMs: readonly number[]): void {
  const sorted = lateMs.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  console.log(`  ${name.padEnd(22)} p50 ${at(0.5)}  p99 ${at(0.99)}  max ${at(1)}`)
}

/** The same on a fresh PostgreSQL and a fresh PGlite, round by round. */
export async function onFreshDatabases(
  rounds: number,
  measure: (name: string, layer: Layer.Layer<Database, DatabaseFault>) => Promise<void>,
): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const server = await startServer()
    await measure(`PostgreSQL, round ${round}`, layerPostgres(server.url))
    await server.stop()
    const folder = mkdtempSync(join(tmpdir(), "curbline-bench-"))
    await measure(`PGlite, round ${round}`, layerPglite({ folder: join(folder, "data") }))
    rmSync(folder, { recursive: true, force: true })
  }
}
