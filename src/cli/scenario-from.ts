/** `curbline scenario from`: the scenario file that repeats what a group of a record or a live journal went through. */

import { existsSync, writeFileSync } from "node:fs"
import { program } from "../composition/program.ts"
import { kindOf } from "../model/address.ts"
import type { GroupAddress } from "../model/address.ts"
import { scenarioOfGroup } from "../simulation/from-journal/written-scenario.ts"
import { replayRecord } from "../simulation/replay.ts"
import type { ReplayedTurn } from "../simulation/replay.ts"
import { counted } from "../simulation/scenario/counted.ts"
import { nearest } from "../simulation/scenario/problems.ts"
import { EXIT } from "./exit-codes.ts"
import type { ExitStatus } from "./exit-codes.ts"
import { err, faultMessage, out } from "./terminal.ts"
import { readText } from "./text-files.ts"
import { UsageError } from "./usage-error.ts"

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

/** The scenario of the group of a record. Throws a `UsageError` when there is none. */
export function scenarioFrom(
  text: string,
  { file, group: asked }: { readonly file: string; readonly group: string },
): ReturnType<typeof scenarioOfGroup> {
  const turns: ReplayedTurn[] = []
  const { difference } = replayRecord(text, program, null, (turn) => turns.push(turn))
  if (difference !== null) throw new UsageError(`${file}:${difference.line}: ${difference.message}`)
  const group = groupIn(turns, asked)
  if (kindOf(group) !== "reservation") {
    throw new UsageError(
      `${group} is no reservation; only reservations can be written, because a journal has no places, carts and payments`,
    )
  }
  const [first] = turns.filter(({ result }) => result.group.address === group)
  const own = turns.filter(({ run, result }) => run === first?.run && result.group.address === group)
  if (first?.input.start === undefined)
    throw new UsageError(`${file} does not have the start of ${group}; export the whole group`)
  const sent = turns.filter(
    ({ run, input, result }) =>
      run === first.run && kindOf(result.group.address) === "webhook-delivery" && input.cause?.[0] === group,
  )
  const webhookDeliveries = new Set(sent.map(({ result }) => result.group.address)).size
  return scenarioOfGroup({ group, turns: own, timeZone: zoneOf(text, first.run), webhookDeliveries })
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
  const reservations = groups.filter((group) => kindOf(group) === "reservation")
  const meant = nearest(asked, reservations)
  const known = reservations.slice(0, 5).join(", ") || "none"
  throw new UsageError(
    `the journal has no group ${asked}${meant === undefined ? "" : `, did you mean ${meant}?`}; its reservations: ${known}`,
  )
}

/** The time zone of a run; UTC where the header has none. */
function zoneOf(text: string, run: number): string {
  const heads = text.split("\n").filter((line) => line.startsWith('{"k":"run"'))
  const { zone } = JSON.parse(heads[run - 1] ?? "{}") as { readonly zone?: unknown }
  return typeof zone === "string" ? zone : "UTC"
}

function written(path: string, text: string): void {
  if (existsSync(path)) throw new UsageError(`${path} exists; name another file or remove it`)
  try {
    writeFileSync(path, text)
  } catch (cause) {
    throw new UsageError(`${path} cannot be written: ${faultMessage(cause)}`)
  }
  err(`wrote ${path}`)
}
