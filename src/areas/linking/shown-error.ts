/** Errors of an authorization without a trusted redirect target. */

import { Data } from "effect"
import type { PageErrorCode } from "../../model/linking.ts"

/** The user reads the error on a page. */
export class ShownError extends Data.TaggedError("ShownError")<{ readonly code: PageErrorCode }> {
  override get message(): string {
    return this.code
  }
}
