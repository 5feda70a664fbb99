/** The machine that a benchmark's figures belong to. */

import { cpus, loadavg } from "node:os"

/** A figure without its machine and load is none. */
export function printMachine(): void {
  const [one] = cpus()
  const machine = `${cpus().length} × ${one?.model ?? "unknown CPU"}`
  console.log(`${new Date().toISOString().slice(0, 10)}, node ${process.version}, ${machine}`)
  console.log(`load of the machine before: ${loadavg()[0]?.toFixed(1)}`)
}
