/** Transactions of a contract's tests: the host's are the only way to write. */

import { Effect } from "effect"
import { ActorHost } from "../../src/engine/services/host.ts"
import type { Transaction } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import type { RowsHarness } from "./reservation-rows.ts"

/** Each write in a transaction of its own, in order; returns the result of each. */
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

/** A body that writes and reads in one transaction. */
export function inOne<A, Rows>(
  h: RowsHarness<Rows>,
  body: Effect.Effect<A, never, Transaction | Rows>,
): Promise<A> {
  return h.run(
    Effect.flatMap(ActorHost, ({ run }) =>
      run({ name: "a test", locks: {}, body: () => Routine.from(body) }),
    ),
  )
}
