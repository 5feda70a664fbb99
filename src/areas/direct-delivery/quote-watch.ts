/** What else happens in the transaction of a quote. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { Transaction } from "../../services/host.ts"

export class QuoteWatch extends Context.Tag("QuoteWatch")<
  QuoteWatch,
  {
    readonly quoted: (owner: {
      readonly organizationId: string
      readonly environment: Environment
    }) => Effect.Effect<void, never, Transaction>
  }
>() {}
