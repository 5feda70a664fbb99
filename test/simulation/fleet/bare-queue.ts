/**
 * Queues whose waits are known, in a plain event loop: the proof of the statistics does not need the service. Each run
 * begins in the steady state, so that it has no transient.
 */

import type { Streams } from "../../../src/engine/kernel/random.ts"
import { observed } from "../../../src/simulation/fleet/results/observed.ts"
import type { Sample } from "../../../src/simulation/fleet/results/estimates.ts"
import { spreadOf } from "../../../src/simulation/fleet/results/spread-figures.ts"

/** Times in seconds. */
export interface BareQueue {
  readonly servers: number
  /** The mean time between two customers. */
  readonly everyS: number
  /** Draws a service time. */
  readonly service: (fraction: () => number) => number
  readonly known: { readonly meanS: number; readonly p95S: number | null }
  /** Draws the times that the servers still need when the first customer comes, the least one first. */
  readonly start: (fraction: () => number) => number[]
}

const exponential = (meanS: number, fraction: () => number): number => -Math.log1p(-fraction()) * meanS

/** Exponential times at c servers. Source: Erlang's C formula; the wait of those who wait is exponential. */
export function mmc(servers: number, load: number, serviceS = 100): BareQueue {
  const offered = load * servers
  let [term, sum] = [1, 1]
  for (let k = 1; k < servers; k += 1) {
    term *= offered / k
    sum += term
  }
  const waiting = (term * offered) / servers / (1 - load)
  const busy = waiting / (sum + waiting)
  const spareS = serviceS / (servers * (1 - load))
  return {
    servers,
    everyS: serviceS / offered,
    service: (fraction) => exponential(serviceS, fraction),
    known: { meanS: busy * spareS, p95S: busy > 0.05 ? Math.log(busy / 0.05) * spareS : 0 },
    start: (fraction) => {
      let [number, share, part] = [0, fraction() * (sum + waiting), 1]
      while (share > part) {
        share -= part
        number += 1
        part *= offered / Math.min(number, servers)
      }
      const free = Array.from({ length: servers }, (_, at) =>
        at < number ? exponential(serviceS, fraction) : 0,
      )
      for (let queued = number - servers; queued > 0; queued -= 1) {
        free.sort((a, b) => a - b)
        free[0] = (free[0] ?? 0) + exponential(serviceS, fraction)
      }
      return free.toSorted((a, b) => a - b)
    },
  }
}

/**
 * One server with uniform times. Source: Pollaczek and Khinchine: the work that a customer finds is a geometric number
 * of remaining times, each drawn by its equilibrium distribution.
 */
export function mg1(load: number, [fromS, toS]: readonly [number, number] = [40, 160]): BareQueue {
  const meanS = (fromS + toS) / 2
  const squareS = meanS ** 2 + (toS - fromS) ** 2 / 12
  const everyS = meanS / load
  const uniform = (fraction: () => number): number => fromS + (toS - fromS) * fraction()
  const remaining = (fraction: () => number): number => {
    // A time is found in progress with a probability in proportion to its length.
    let whole = uniform(fraction)
    while (fraction() * toS > whole) whole = uniform(fraction)
    return whole * fraction()
  }
  return {
    servers: 1,
    everyS,
    service: uniform,
    known: { meanS: squareS / everyS / (2 * (1 - load)), p95S: null },
    start: (fraction) => {
      let work = 0
      while (fraction() < load) work += remaining(fraction)
      return [work]
    },
  }
}

/** The waits of so many customers, in seconds. */
export function waitsOf(queue: BareQueue, customers: number, streams: Streams, name = "queue"): number[] {
  const fraction = (): number => streams.fraction(name)
  const free = queue.start(fraction)
  return Array.from({ length: customers }, () => {
    const wait = free[0] ?? 0
    free[0] = wait + queue.service(fraction)
    const sinceS = exponential(queue.everyS, fraction)
    for (const [at, time] of free.entries()) free[at] = Math.max(0, time - sinceS)
    free.sort((a, b) => a - b)
    return wait
  })
}

/** A replication that measured these waits and nothing else. */
export function sampleOf(waitsS: readonly number[]): Sample {
  const ms = waitsS.map((wait) => Math.round(wait * 1000))
  const spread = spreadOf(ms)
  return {
    durations: { wait: spread },
    figures: { wait_mean: spread.mean, wait_p95: spread.p95, wait_max: spread.max },
    observed: { wait: observed(ms, () => 0) },
  }
}
