/** A command as a step tells it: what the `do` tables work from. */

import type { CommandName, FieldValues } from "./language.ts"

export interface CommandStep {
  readonly command: CommandName
  readonly as: string | null
  readonly for: string | null
  readonly with: FieldValues
}
