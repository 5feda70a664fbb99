/** A command of a step: the input of the `do` tables. */

import type { CommandName, FieldValues } from "./language.ts"

export interface CommandStep {
  readonly command: CommandName
  readonly as: string | null
  readonly for: string | null
  /** The partner or key that calls; absent: the scenario's own. */
  readonly by?: string
  readonly with: FieldValues
}
