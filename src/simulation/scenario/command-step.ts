/** A command of a step: the input of the `do` tables. */

import type { CommandName, FieldValues } from "./language.ts"

export interface CommandStep {
  readonly command: CommandName
  readonly as: string | null
  readonly for: string | null
  readonly with: FieldValues
}
