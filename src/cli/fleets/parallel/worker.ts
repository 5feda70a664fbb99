/** The code of a worker thread: one replication at a time. */

import { replicate } from "../../../simulation/fleet/world/replication.ts"
import type { Replication } from "../../../simulation/fleet/world/replication.ts"
import type { ReplicationTask } from "../../../simulation/fleet/search/evaluate.ts"

// The pool calls the default export of its file.
// oxlint-disable-next-line import/no-default-export
export default function work({ model, seed, hasCourse }: ReplicationTask): Replication {
  return replicate(model, { seed, hasCourse })
}
