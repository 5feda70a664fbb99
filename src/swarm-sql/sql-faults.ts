/** The faults of a plan that a live host over a database can have. */

import { Effect } from "effect"
import type { EpochMs } from "../model/time.ts"
import type { Areas, Performer } from "../services/host.ts"
import type { Coverage } from "../swarm/coverage.ts"
import { PlanFaults } from "../swarm/plan-faults.ts"
import type { Plan } from "../swarm/plan.ts"
import type { SqlService } from "./sql-service.ts"

interface Time {
  readonly nowMs: () => EpochMs
  readonly startMs: EpochMs
}

export class SqlFaults extends PlanFaults {
  readonly #time: Time
  readonly #coverage: Coverage
  #service: SqlService | null = null
  #crashes = 0

  constructor(plan: Plan, time: Time, coverage: Coverage) {
    super(plan)
    this.#time = time
    this.#coverage = coverage
  }

  startOn(service: SqlService): void {
    this.#service = service
  }

  /** The next step crashes. */
  crash(): void {
    this.#crashes += 1
  }

  /** A crash loses the calls and commands in flight; a transaction that has begun is whole. */
  async beforeStep(): Promise<void> {
    const { crashes, nodesLost } = this.plan.faults
    if (this.strikes("crashes", crashes + nodesLost)) this.#crashes += 1
    if (this.#crashes === 0 || this.#service === null) return
    this.#crashes = 0
    this.interruptCommands()
    await Effect.runPromise(this.#service.host.dropCalls)
  }

  /** The performers with results that are lost or late. One that comes after the lease of its call is a second result. */
  readonly withAreas = (areas: Areas["Type"]): Areas["Type"] => ({
    ...areas,
    performers: areas.performers.map((one) => this.#unreliable(one)),
  })

  /** Without preparation, so that every call passes here. */
  #unreliable(performer: Performer): Performer {
    const { lostResults, lateResults } = this.plan.faults
    if (lostResults + lateResults === 0) return performer
    return {
      call: performer.call,
      perform: (call) => Effect.flatMap(performer.perform(call), (result) => this.arrive(result)),
    }
  }

  protected get elapsedMs(): number {
    return this.#time.nowMs() - this.#time.startMs
  }

  protected count(kind: string): void {
    this.#coverage.add("fault", kind)
  }
}
