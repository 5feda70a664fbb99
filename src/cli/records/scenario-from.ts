/** `curbline scenario from`: the scenario file that repeats what a group of a record or a live journal went through. */

import { writeFileSync } from "node:fs"
import { program } from "../../apps/composition/program.ts"
import { kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { deliveryParts } from "../../simulation/from-journal/recorded-delivery.ts"
import { errandParts } from "../../simulation/from-journal/recorded-errand.ts"
import { NotRepeatable, repeated } from "../../simulation/from-journal/repeated.ts"
import type { WrittenScenario } from "../../simulation/from-journal/scenario-file.ts"
import type { RecordedGroup } from "../../simulation/from-journal/recorded-group.ts"
import { scenarioOfReservation } from "../../simulation/from-journal/recorded-reservation.ts"
import { replayRecord } from "../../simulation/replay.ts"
import type { ReplayedTurn } from "../../simulation/replay.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { nearest } from "../../simulation/scenario/language/problems.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { err, faultMessage, out } from "../kit/terminal.ts"
import { readText } from "../kit/text-files.ts"
import { assertNew } from "../kit/outputs.ts"
import { UsageError } from "../kit/usage-error.ts"

export interface ScenarioFromFlags {
  readonly group: string
  /** Where the file is written; stdout without it. */
  readonly out?: string
}

/** Prints or writes the file, and says on stderr what it does not repeat. */
export function scenarioFromCommand(file: string, flags: ScenarioFromFlags): ExitStatus {
  const { text, notes } = scenarioFrom(readText(file), { file, group: flags.group })
  if (flags.out === undefined) out(text.trimEnd())
  else written(flags.out, text)
  if (notes.length === 0) return EXIT.passed
  err(`${counted(notes.length, "thing")} of the journal not repeated:`)
  for (const note of notes) err(`  - ${note}`)
  return EXIT.passed
}

/** The kinds of groups that can be written, as people call them. */
const WRITTEN_KINDS: Readonly<Record<string, string>> = {
  "courier-order": "errand",
  delivery: "delivery",
  reservation: "reservation",
}

/** The scenario of the group of a record. Throws a `UsageError` when there is none, or none that repeats it. */
export function scenarioFrom(
  text: string,
  { file, group: asked }: { readonly file: string; readonly group: string },
): WrittenScenario {
  const turns: ReplayedTurn[] = []
  const { difference } = replayRecord(text, program, null, (turn) => turns.push(turn))
  if (difference !== null) throw new UsageError(`${file}:${difference.line}: ${difference.message}`)
  const group = groupIn(turns, asked)
  if (WRITTEN_KINDS[kindOf(group)] === undefined)
    throw new UsageError(`${group} is no reservation, delivery or errand; only these can be written`)
  const [first] = turns.filter(({ result }) => result.group.address === group)
  const own = turns.filter(({ run, result }) => run === first?.run && result.group.address === group)
  if (first?.input.start === undefined)
    throw new UsageError(`${file} does not have the start of ${group}; export the whole group`)
  const sent = turns.filter(
    ({ run, input, result }) =>
      run === first.run && kindOf(result.group.address) === "webhook-delivery" && input.cause?.[0] === group,
  )
  const webhookDeliveries = new Set(sent.map(({ result }) => result.group.address)).size
  return writtenOf({ group, turns: own, timeZone: zoneOf(text, first.run), webhookDeliveries })
}

/** A delivery or an errand is run once, because what was invented for it could change its course. */
function writtenOf(recorded: RecordedGroup): WrittenScenario {
  const { group, turns } = recorded
  const kind = kindOf(group)
  if (kind === "reservation") return scenarioOfReservation(recorded)
  const parts = kind === "delivery" ? deliveryParts(recorded) : errandParts(recorded)
  try {
    return repeated(
      parts,
      turns.map(({ result }) => result),
    )
  } catch (cause) {
    if (cause instanceof NotRepeatable) throw new UsageError(`${group} cannot be repeated: ${cause.message}`)
    throw cause
  }
}

/** By address, id, or the beginning of an id. */
function groupIn(turns: readonly ReplayedTurn[], asked: string): GroupAddress {
  const groups = [...new Set(turns.map(({ result }) => result.group.address))]
  const exact = groups.find((group) => group === asked || group.endsWith(`/${asked}`))
  if (exact !== undefined) return exact
  const begun = groups.filter((group) => group.startsWith(asked) || group.includes(`/${asked}`))
  const [only] = begun
  if (only !== undefined && begun.length === 1) return only
  if (begun.length > 1)
    throw new UsageError(
      `${counted(begun.length, "group")} begin with ${asked}: ${begun.slice(0, 5).join(", ")}`,
    )
  const offered = groups.filter((group) => WRITTEN_KINDS[kindOf(group)] !== undefined)
  const meant = nearest(asked, offered)
  const known = offered.slice(0, 5).join(", ") || "none"
  throw new UsageError(
    `the journal has no group ${asked}${meant === undefined ? "" : `, did you mean ${meant}?`}; its reservations, deliveries and errands: ${known}`,
  )
}

/** The time zone of a run; UTC where the header has none. */
function zoneOf(text: string, run: number): string {
  const heads = text.split("\n").filter((line) => line.startsWith('{"k":"run"'))
  const { zone } = JSON.parse(heads[run - 1] ?? "{}") as { readonly zone?: unknown }
  return typeof zone === "string" ? zone : "UTC"
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
