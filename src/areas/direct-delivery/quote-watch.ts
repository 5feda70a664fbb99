/** What else happens in the transaction of a quote. */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Transaction } from "../../engine/services/host.ts"
import type { Routine } from "../../engine/services/routine.ts"

export class QuoteWatch extends Context.Tag("QuoteWatch")<
  QuoteWatch,
  {
    readonly quoted: (owner: {
      readonly organizationId: string
      readonly environment: Environment
    }) => Routine<void, never, Transaction>
  }
>() {}
