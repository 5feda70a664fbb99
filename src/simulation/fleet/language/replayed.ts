/** Instants of a replayed demand, from the CSV file beside the model. */

import { REPLAYED_MAX } from "../../../model/values/limits.ts"
import { instantsOf, wallClockOf } from "../../../model/values/local-time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { isoMs } from "../../../model/values/time.ts"
import type { LocalStart } from "../../scenario/language/language.ts"
import type { Advice, Report } from "../../scenario/language/problems.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import type { WrittenMap } from "../../scenario/language/source.ts"
import { textBeside } from "./beside.ts"
import type { Beside } from "./beside.ts"
import type { WrittenFleet } from "./model.ts"
import { spanAt } from "./written-part.ts"

interface Reading {
  readonly root: WrittenMap
  readonly report: Report
  readonly clock: LocalStart
  readonly beside: Beside
  /** Receives the instants by the demand's index, milliseconds from the start. */
  readonly replayed: Map<number, readonly number[]>
}

export function readReplays(
  { demand, horizon }: Pick<WrittenFleet, "demand" | "horizon">,
  { root, report, clock, beside, replayed }: Reading,
): void {
  const { startMs } = new SiteClock(clock)
  for (const [at, { replay, pace }] of demand.entries()) {
    if (typeof replay !== "string") continue
    const tell = (message: string, advice?: Advice): void =>
      report(spanAt(root, ["demand", at, "replay"]), message, advice)
    const found = textBeside(replay, beside)
    if ("fault" in found) {
      tell(found.fault)
      continue
    }
    const instants = instantsIn(found.text, { name: replay, timeZone: clock.timeZone, tell })
    const [first, last] = [instants?.[0], instants?.at(-1)]
    if (instants === null || first === undefined || last === undefined) continue
    const offsets = instants.map((instant) => instant - startMs)
    if (!offsets.some((offset) => offset >= 0 && Math.round(offset / pace) < horizon)) {
      tell("no order comes during the run", {
        help: `${replay} has instants from ${isoMs(first)} to ${isoMs(last)}; the run is ${showDuration(horizon)} from ${isoMs(startMs)}`,
      })
    }
    replayed.set(at, offsets)
  }
}

/** The instants of a file in their order; null if there is a mistake. */
function instantsIn(
  text: string,
  {
    name,
    timeZone,
    tell,
  }: {
    readonly name: string
    readonly timeZone: string
    readonly tell: (message: string, advice: Advice) => void
  },
): readonly EpochMs[] | null {
  const expected = `one to ${REPLAYED_MAX} instants such as 2026-03-02T11:30:00-06:00, or local times such as 2026-03-02T11:30`
  const lines = text
    .split(/\r?\n/)
    .map((line, at) => ({ cell: firstCell(line), number: at + 1 }))
    .filter(({ cell }) => cell !== "")
  const [head, ...rest] = lines
  // The first line may hold column names; an instant that is written wrong is no name.
  const data = head !== undefined && !/\d/.test(head.cell) ? rest : lines
  const instants = data.map(({ cell }) => instantOf(cell, timeZone))
  const wrong = data[instants.findIndex((instant) => instant === null)]
  if (wrong !== undefined) {
    tell(`line ${wrong.number} of ${name} begins with no instant`, { expected })
    return null
  }
  if (data.length > REPLAYED_MAX || data.length === 0) {
    tell(`${data.length} instants`, { expected })
    return null
  }
  return instants.filter((instant) => instant !== null).toSorted((a, b) => a - b)
}

/** Without the quotes that some programs write around every cell. */
function firstCell(line: string): string {
  return (line.replace(/^\uFEFF/, "").split(",")[0] ?? "").trim().replace(/^"(.*)"$/, "$1")
}

const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/

/** A time without an offset is by the model's clock, and of a time that comes twice the first; null for any other text. */
function instantOf(cell: string, timeZone: string): EpochMs | null {
  const written = cell.replace(/^(\d{4}-\d{2}-\d{2}) /, "$1T")
  const wall = wallClockOf(written)
  if (wall !== null) return instantsOf(wall, timeZone)[0] ?? null
  const instant = WITH_OFFSET.test(written) ? Date.parse(written) : Number.NaN
  return Number.isNaN(instant) ? null : instant
}
