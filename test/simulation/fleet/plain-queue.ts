/**
 * The queue of `models.ts` in a plain event loop, with the arrivals and the times that a fleet run draws: first come, first served, by the
 * runners of one site. A run of the service must have its very waits; theory is held against many of it, which take no time.
 */

import { arrivalsOf } from "../../../src/simulation/fleet/world/arrivals.ts"
import type { Chance } from "../../../src/simulation/fleet/chance.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { FleetWorld } from "../../../src/simulation/fleet/world/fleet-world.ts"
import { runToItsEnd } from "../../../src/simulation/fleet/world/replication.ts"

/** The answer of the open link, which each load waits for. */
export const LINK_MS = 50

/** Of the orders that are requested after the warm-up. */
export interface QueueRun {
  /** For a runner, in the order in which these begin; milliseconds. */
  readonly waitsMs: readonly number[]
  /** Bots that lost patience, and those that were served. */
  readonly lost: number
  readonly served: number
}

/** The same model in a run of the service. */
export function serviceQueue(model: FleetModel, seed: number) {
  const world = new FleetWorld(model, { seed })
  const replication = runToItsEnd(world, { seed, onProgress: undefined })
  const { counts, durations } = replication
  const run: QueueRun = {
    waitsMs: world.tally.durations.get("runners.wait") ?? [],
    lost: counts["bots.aborted: it waited too long"] ?? 0,
    served: durations["reservations.wait"]?.n ?? 0,
  }
  return { run, replication }
}

export function plainQueue(model: FleetModel, seed: number): QueueRun {
  return new PlainQueue(model, seed).run()
}

interface Customer {
  readonly askedMs: number
  readonly serviceMs: number
  readonly patienceMs: number
  readonly ended: () => void
  state: "over" | "served" | "waiting"
}

class PlainQueue {
  readonly #model: FleetModel
  readonly #world: FleetWorld
  readonly #events: { readonly atMs: number; readonly happen: () => void }[] = []
  readonly #waiting: Customer[] = []
  readonly #waitsMs: number[] = []
  #free: number
  #nowMs = 0
  #lost = 0
  #served = 0

  constructor(model: FleetModel, seed: number) {
    this.#model = model
    this.#world = new FleetWorld(model, { seed })
    this.#free = model.sites[0]?.runners[0]?.count ?? 0
  }

  run(): QueueRun {
    const [demand] = this.#model.demand
    if (demand === undefined) throw new Error("the queue has a demand")
    const { clock, startMs } = this.#world
    const chance = this.#world.chance.of("demand/reservation/curb//1")
    const horizonMs = this.#model.horizon
    if (demand.population === null) {
      const process = { demand, instants: undefined, log: undefined, logChance: chance, factors: [], chance }
      for (const { atMs, chance: own } of arrivalsOf({ ...process, clock, startMs, horizonMs }))
        this.#at(atMs, () => this.#come(own))
    } else {
      const { size, thinks } = demand.population
      for (let number = 1; number <= size; number += 1) {
        const own = chance.of(`customer/${number}`)
        const think = (): void => {
          const atMs = this.#nowMs + own.duration(thinks, "thinks")
          if (atMs < horizonMs) this.#at(atMs, () => this.#come(own, think))
        }
        think()
      }
    }
    this.#runEvents()
    return { waitsMs: this.#waitsMs, lost: this.#lost, served: this.#served }
  }

  #at(atMs: number, happen: () => void): void {
    this.#events.push({ atMs, happen })
  }

  /** Of those at one instant the one that was scheduled first. */
  #runEvents(): void {
    while (this.#events.length > 0) {
      const nextMs = this.#events.reduce((least, { atMs }) => Math.min(least, atMs), Number.POSITIVE_INFINITY)
      const at = this.#events.findIndex(({ atMs }) => atMs === nextMs)
      const [next] = this.#events.splice(at, 1)
      this.#nowMs = nextMs
      next?.happen()
    }
  }

  #come(chance: Chance, ended: () => void = () => {}): void {
    const { runner, bot } = this.#model
    const customer: Customer = {
      askedMs: this.#nowMs,
      serviceMs: chance.duration(runner.pick_up, "pick-up") + LINK_MS,
      patienceMs: chance.duration(bot.patience, "patience"),
      ended,
      state: "waiting",
    }
    this.#waiting.push(customer)
    this.#serveNext()
    this.#at(this.#nowMs + customer.patienceMs, () => this.#losePatience(customer))
  }

  #serveNext(): void {
    const customer = this.#free === 0 ? undefined : this.#waiting.shift()
    if (customer === undefined) return
    this.#free -= 1
    customer.state = "served"
    if (this.#isMeasured(customer)) this.#waitsMs.push(this.#nowMs - customer.askedMs)
    this.#at(this.#nowMs + customer.serviceMs, () => {
      if (customer.state !== "served") return
      if (this.#isMeasured(customer)) this.#served += 1
      this.#end(customer)
    })
  }

  #losePatience(customer: Customer): void {
    const isServed = customer.state === "served"
    if (customer.state === "over" || (isServed && this.#model.bot.patience_until === "runner")) return
    if (this.#isMeasured(customer)) this.#lost += 1
    if (isServed) return this.#end(customer)
    customer.state = "over"
    this.#waiting.splice(this.#waiting.indexOf(customer), 1)
    customer.ended()
  }

  /** The runner is free again. */
  #end(customer: Customer): void {
    customer.state = "over"
    this.#free += 1
    customer.ended()
    this.#serveNext()
  }

  #isMeasured({ askedMs }: Customer): boolean {
    return askedMs >= this.#model.warm_up
  }
}
