/** Writes of a contract's tests: each in a transaction of its own, which is the only way to write. */

import { Effect } from "effect"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import type { RowsHarness } from "./reservation-rows.ts"

/** In order; returns the result of each. */
export function transacted<A, Rows>(
  h: RowsHarness<Rows>,
  ...writes: readonly Effect.Effect<A, never, Transaction | Rows>[]
): Promise<readonly A[]> {
  return h.run(
    Effect.flatMap(ActorHost, (host) =>
      Effect.forEach(writes, (write) =>
        host.run({ name: "a test", locks: {}, body: () => Routine.from(write) }),
      ),
    ),
  )
}
