/** The scenario that repeats what a reservation, a delivery or an errand of a record went through. */

import { program } from "../../apps/composition/program.ts"
import { kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { isKept } from "../../model/live-group.ts"
import { replayRecord } from "../replay.ts"
import type { ReplayedTurn } from "../replay.ts"
import { counted } from "../scenario/language/counted.ts"
import { nearest } from "../scenario/language/problems.ts"
import { deliveryParts } from "./recorded-delivery.ts"
import { errandParts } from "./recorded-errand.ts"
import type { RecordedGroup } from "./recorded-group.ts"
import { reservationParts } from "./recorded-reservation.ts"
import { NotRepeatable, repeated } from "./repeated.ts"
import { scenarioFile } from "./scenario-file.ts"
import type { WrittenParts, WrittenScenario } from "./scenario-file.ts"

/** Why nothing was written: the record is none, or has no such group, or the group cannot be repeated. */
export class NoScenario extends Error {
  override readonly name = "NoScenario"
}

export interface KeptGroup {
  /** By address, id, or the beginning of an id. */
  readonly group: string
  /** Why the scenario is there, a sentence; null for a usual one. */
  readonly because: string | null
}

/** `file` names the record in messages. Throws `NoScenario`. */
export function scenarioOfRecord(text: string, file: string, kept: KeptGroup): WrittenScenario {
  const turns: ReplayedTurn[] = []
  const { difference } = replayRecord(text, program, null, (turn) => turns.push(turn))
  if (difference !== null) throw new NoScenario(`${file}:${difference.line}: ${difference.message}`)
  const group = groupIn(turns, kept.group)
  if (!isKept(group))
    throw new NoScenario(`${group} is no reservation, delivery or errand; only these can be written`)
  const [first] = turns.filter(({ result }) => result.group.address === group)
  const own = turns.filter(({ run, result }) => run === first?.run && result.group.address === group)
  if (first?.input.start === undefined)
    throw new NoScenario(`${file} does not have the start of ${group}; export the whole group`)
  const sent = turns.filter(
    ({ run, input, result }) =>
      run === first.run && kindOf(result.group.address) === "webhook-delivery" && input.cause?.[0] === group,
  )
  const webhookDeliveries = new Set(sent.map(({ result }) => result.group.address)).size
  return writtenOf({ group, turns: own, timeZone: zoneOf(text, first.run), webhookDeliveries }, kept.because)
}

/** A delivery or an errand is run once, because what was invented for it could change its course. */
function writtenOf(recorded: RecordedGroup, because: string | null): WrittenScenario {
  const { group, turns } = recorded
  const parts: WrittenParts = { ...partsOf(recorded), because }
  if (kindOf(group) === "reservation") return scenarioFile(parts)
  try {
    return repeated(
      parts,
      turns.map(({ result }) => result),
    )
  } catch (cause) {
    if (cause instanceof NotRepeatable) throw new NoScenario(`${group} cannot be repeated: ${cause.message}`)
    throw cause
  }
}

function partsOf(recorded: RecordedGroup): WrittenParts {
  switch (kindOf(recorded.group)) {
    case "reservation":
      return reservationParts(recorded)
    case "delivery":
      return deliveryParts(recorded)
    default:
      return errandParts(recorded)
  }
}

function groupIn(turns: readonly ReplayedTurn[], asked: string): GroupAddress {
  const groups = [...new Set(turns.map(({ result }) => result.group.address))]
  const exact = groups.find((group) => group === asked || group.endsWith(`/${asked}`))
  if (exact !== undefined) return exact
  const begun = groups.filter((group) => group.startsWith(asked) || group.includes(`/${asked}`))
  const [only] = begun
  if (only !== undefined && begun.length === 1) return only
  if (begun.length > 1)
    throw new NoScenario(
      `${counted(begun.length, "group")} begin with ${asked}: ${begun.slice(0, 5).join(", ")}`,
    )
  const offered = groups.filter(isKept)
  const meant = nearest(asked, offered)
  const known = offered.slice(0, 5).join(", ") || "none"
  throw new NoScenario(
    `the journal has no group ${asked}${meant === undefined ? "" : `, did you mean ${meant}?`}; its reservations, deliveries and errands: ${known}`,
  )
}

/** The time zone of a run; UTC where the header has none. */
function zoneOf(text: string, run: number): string {
  const heads = text.split("\n").filter((line) => line.startsWith('{"k":"run"'))
  const { zone } = JSON.parse(heads[run - 1] ?? "{}") as { readonly zone?: unknown }
  return typeof zone === "string" ? zone : "UTC"
}
