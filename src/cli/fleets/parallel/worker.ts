/** The code of a worker thread: one replication at a time. */

import { replicate } from "../../../simulation/fleet/world/replication.ts"
import type { Replication } from "../../../simulation/fleet/world/replication.ts"
import { ReceivedParts } from "./sent-parts.ts"
import type { ThreadTask } from "./threads.ts"

const received = new ReceivedParts()

// The pool calls the default export of its file.
// oxlint-disable-next-line import/no-default-export
export default function work({ model, seed, hasCourse }: ThreadTask): Replication {
  return replicate(received.modelOf(model), { seed, hasCourse })
}
