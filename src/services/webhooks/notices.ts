/** Notices: letters to an organization that wait in an outbox until somebody sends them. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Transaction } from "../host.ts"

export interface Notice {
  readonly noticeId: string
  readonly organizationId: string
  readonly environment: Environment
  readonly kind: "webhook_disabled"
  /** The endpoint that it is about. */
  readonly subjectId: string
  readonly createdAtMs: EpochMs
}

export class Notices extends Context.Tag("Notices")<
  Notices,
  {
    readonly add: (notice: Notice) => Effect.Effect<void, never, Transaction>
    /** Of one organization in one environment, oldest first. */
    readonly list: (scope: {
      readonly organizationId: string
      readonly environment: Environment
    }) => Effect.Effect<readonly Notice[]>
  }
>() {}
