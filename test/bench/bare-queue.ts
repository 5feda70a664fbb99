/**
 * What machines, journal and rows cost beside nothing: a bare queue of eight servers in a plain event loop, and the same in SimPy where
 * this machine's Python has it. Customers of both draw from exponential distributions, so the mean wait is known (Erlang C).
 */

import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Streams } from "../../src/engine/kernel/random.ts"
import { HeapClock } from "./heap-clock.ts"

const SERVERS = 8
const SERVICE_MS = 60_000
/** 85 of 100 of what the servers can do. */
const ARRIVAL_MS = SERVICE_MS / (SERVERS * 0.85)

interface QueueRun {
  readonly meanWaitMs: number
  readonly usPerCustomer: number
}

/** Returns the microseconds of processor time that a customer took. */
export function benchBareQueue(customers: number): number {
  playQueue(customers / 10)
  const { meanWaitMs, usPerCustomer } = playQueue(customers)
  const expectedMs = erlangWaitMs()
  if (Math.abs(meanWaitMs / expectedMs - 1) > 0.15)
    throw new Error(
      `the bare queue waits ${meanWaitMs.toFixed(0)} ms on average, and not ${expectedMs.toFixed(0)}`,
    )
  console.log(
    `a bare queue (M/M/${SERVERS}) in a plain event loop: ${customers} customers, ${usPerCustomer.toFixed(2)} µs each, ` +
      `mean wait ${(meanWaitMs / 1000).toFixed(1)} s (Erlang C: ${(expectedMs / 1000).toFixed(1)} s)`,
  )
  console.log(`  ${simpyLine(Math.round(customers / 10), usPerCustomer)}`)
  return usPerCustomer
}

function playQueue(customers: number): QueueRun {
  const before = process.cpuUsage()
  const streams = new Streams(1)
  const exponential = (stream: string, meanMs: number) => -meanMs * Math.log(1 - streams.fraction(stream))
  const clock = new HeapClock(0)
  const waiting: number[] = []
  let head = 0
  let free = SERVERS
  let waitedMs = 0
  let arrived = 0
  const serve = (since: number) => {
    waitedMs += clock.nowMs - since
    clock.setTimeout(leave, exponential("service", SERVICE_MS))
  }
  const leave = () => {
    const next = waiting[head]
    if (next === undefined) free += 1
    else {
      head += 1
      serve(next)
    }
  }
  const arrive = () => {
    arrived += 1
    if (free > 0) {
      free -= 1
      serve(clock.nowMs)
    } else waiting.push(clock.nowMs)
    if (arrived < customers) clock.setTimeout(arrive, exponential("arrivals", ARRIVAL_MS))
  }
  arrive()
  clock.run()
  const { user, system } = process.cpuUsage(before)
  return { meanWaitMs: waitedMs / customers, usPerCustomer: (user + system) / customers }
}

/** The mean wait in the queue. Source: Erlang's C formula. */
function erlangWaitMs(): number {
  const load = SERVICE_MS / ARRIVAL_MS
  let term = 1
  let sum = 1
  for (let served = 1; served < SERVERS; served += 1) {
    term *= load / served
    sum += term
  }
  const all = (term * load) / SERVERS / (1 - load / SERVERS)
  const waits = all / (sum + all)
  return (waits * SERVICE_MS) / (SERVERS - load)
}

function simpyLine(customers: number, usPerCustomer: number): string {
  const script = fileURLToPath(new URL("bare_queue.py", import.meta.url))
  const args = [customers, SERVERS, SERVICE_MS, ARRIVAL_MS].map(String)
  for (const python of ["python3", "/usr/bin/python3"]) {
    const { status, stdout } = spawnSync(python, [script, ...args], { encoding: "utf8" })
    if (status !== 0) continue
    const { version, us } = JSON.parse(stdout) as { readonly version: string; readonly us: number }
    return `the same in SimPy ${version}: ${us.toFixed(1)} µs each, ${(us / usPerCustomer).toFixed(0)} times as much`
  }
  return "SimPy is not on this machine (python3-simpy of Debian, or simpy from PyPI)"
}
