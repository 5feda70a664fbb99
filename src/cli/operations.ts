/** The managing commands' way to the service: one interface with two layers, over HTTP and in this process. */

import type { ManagementRequest } from "../http/operations/management.ts"
import type { Environment } from "../model/caller.ts"
import type { FieldProblem } from "../model/errors.ts"

/** What an endpoint answered under `data`. */
export type Data = Readonly<Record<string, unknown>>

export interface Operations {
  /** Those that can be asked. */
  readonly environments: readonly Environment[]
  /** Rejects with a RequestRefused. */
  readonly ask: (environment: Environment, request: ManagementRequest) => Promise<Data>
  readonly close: () => Promise<void>
}

/** The service said no. */
export class RequestRefused extends Error {
  readonly code: string
  /** What is wrong with which field, where the code is `VALIDATION_ERROR`. */
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
