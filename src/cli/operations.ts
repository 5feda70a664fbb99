/** The managing commands' way to the service: one interface with two layers, over HTTP and in this process. */

import type { ManagementRequest } from "../http/operations/management.ts"
import type { Environment } from "../model/caller.ts"

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

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
