/**
 * The way of management commands to the service: one interface with two implementations, over HTTP and in this process.
 */

import type { ManagementRequest } from "../../apps/operations/http/management.ts"
import type { Environment } from "../../model/caller.ts"
import type { FieldProblem } from "../../model/values/errors.ts"

/** The `data` of an endpoint's answer. */
export type Data = Readonly<Record<string, unknown>>

export interface Operations {
  /** The environments that can be reached. */
  readonly environments: readonly Environment[]
  /** The URL of an environment's host; null when no service runs. */
  readonly urlOf: (environment: Environment) => string | null
  /** Rejects with a RequestRefused. */
  readonly ask: (environment: Environment, request: ManagementRequest) => Promise<Data>
  readonly close: () => Promise<void>
}

/** The service refused the request. */
export class RequestRefused extends Error {
  readonly code: string
  /** Problems by field, if the code is `VALIDATION_ERROR`. */
  readonly problems: readonly FieldProblem[]

  constructor(refusal: {
    readonly code: string
    readonly message: string
    readonly problems?: readonly FieldProblem[] | undefined
  }) {
    super(refusal.message)
    this.code = refusal.code
    this.problems = refusal.problems ?? []
  }
}
