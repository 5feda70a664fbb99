/** `curbline scenario from`: the scenario file that repeats what a group of a record or a live journal went through. */

import { writeFileSync } from "node:fs"
import { NoScenario, scenarioOfRecord } from "../../simulation/from-journal/from-record.ts"
import type { KeptGroup } from "../../simulation/from-journal/from-record.ts"
import type { WrittenScenario } from "../../simulation/from-journal/scenario-file.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { err, faultMessage, out } from "../kit/terminal.ts"
import { readText } from "../kit/text-files.ts"
import { assertNew } from "../kit/outputs.ts"
import { UsageError } from "../kit/usage-error.ts"

export interface ScenarioFromFlags {
  readonly group: string
  /** Why the scenario is there. */
  readonly because?: string
  /** Where the file is written; stdout without it. */
  readonly out?: string
}

/** Prints or writes the file, and says on stderr what it does not repeat. */
export function scenarioFromCommand(file: string, flags: ScenarioFromFlags): ExitStatus {
  const { group, because = null } = flags
  const { text, notes } = scenarioFrom(readText(file), file, { group, because })
  if (flags.out === undefined) out(text.trimEnd())
  else written(flags.out, text)
  if (notes.length === 0) return EXIT.passed
  err(`${counted(notes.length, "thing")} of the journal not repeated:`)
  for (const note of notes) err(`  - ${note}`)
  return EXIT.passed
}

function scenarioFrom(text: string, file: string, kept: KeptGroup): WrittenScenario {
  try {
    return scenarioOfRecord(text, file, kept)
  } catch (cause) {
    if (cause instanceof NoScenario) throw new UsageError(cause.message)
    throw cause
  }
}

function written(path: string, text: string): void {
  assertNew(path)
  try {
    writeFileSync(path, text)
  } catch (cause) {
    throw new UsageError(`${path} cannot be written: ${faultMessage(cause)}`)
  }
  err(`wrote ${path}`)
}
