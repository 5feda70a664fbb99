/** The live service of a run: the one that runs now, and those that ended with a restore of a backup or an upgrade. */

import { Context } from "effect"
import { Streams } from "../../engine/kernel/random.ts"
import { Database } from "../../engine/store/database.ts"
import type { Plan } from "../../simulation/swarm/plan.ts"
import type { Watch } from "../../simulation/swarm/watch.ts"
import { keepRows, putRowsBack } from "./kept-rows.ts"
import type { ManualClock } from "./manual-clock.ts"
import type { Restoring, SqlFaults } from "./sql-faults.ts"
import { openSqlService } from "./sql-service.ts"
import type { SqlService } from "./sql-service.ts"
import type { Stage } from "./stage.ts"

interface Parts {
  readonly plan: Plan
  readonly stage: Stage
  readonly database: Context.Context<Database>
  readonly clock: ManualClock
  readonly faults: SqlFaults
}

export class ServicesOfRun {
  readonly #parts: Parts
  readonly #nonces: Streams
  readonly #opened: SqlService[] = []

  constructor(parts: Parts) {
    this.#parts = parts
    this.#nonces = new Streams(parts.plan.seed)
  }

  get now(): SqlService {
    const last = this.#opened.at(-1)
    if (last === undefined) throw new Error("no service was opened")
    return last
  }

  /** What each of them found wrong in itself. */
  get faults(): readonly string[] {
    return this.#opened.flatMap(({ faults }) => faults)
  }

  async open(): Promise<void> {
    const { plan, stage, database, clock, faults } = this.#parts
    const { run, outside, store } = stage
    const service = await openSqlService({
      scenario: run.scenario,
      outside,
      store,
      database,
      clock,
      nonce: () => this.#nonces.nonce("nonces"),
      rehearses: plan.faults.runsBodiesTwice,
      faults,
    })
    this.#opened.push(service)
    faults.startOn(service)
  }

  async close(): Promise<void> {
    await this.now.close()
  }

  /** Takes a backup and restores it, and calls the listeners of the checks after each. */
  restoring({ onBackup, onRestored }: Pick<Watch, "onBackup" | "onRestored">): Restoring {
    const { orm } = Context.get(this.#parts.database, Database)
    return {
      keep: async () => {
        await keepRows(orm)
        onBackup()
      },
      restore: async (heldUntilMs) => {
        await this.close()
        await putRowsBack(orm)
        await this.open()
        onRestored(heldUntilMs)
      },
      reopen: async () => {
        await this.close()
        await this.open()
      },
    }
  }
}
