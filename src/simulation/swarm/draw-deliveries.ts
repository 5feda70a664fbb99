/** Moves around deliveries: retailers, customers, supervisors, operations, and the vehicles that errands share. */

import { DELIVERY_EVENT_BY_STATUS } from "../../model/delivery.ts"
import { MINUTE_MS, SECOND_MS } from "../../model/values/time.ts"
import type { CommandName, FieldValues, TimeRef } from "../scenario/language/language.ts"
import type { Chance } from "./chance.ts"
import { at, command } from "./moves.ts"
import type { Timed } from "./moves.ts"
import type { Move } from "./plan.ts"

type Word = readonly [CommandName, FieldValues]

const STATUSES = Object.keys(DELIVERY_EVENT_BY_STATUS) as [string, ...string[]]
/** Customers of orders; two may share one. */
export const PHONES = ["+15125550123", "+15125550124", "+15125550125"] as const
const VEHICLE_MOVES_MAX = 16
const DROPOFFS_M = [-2_000, -300, 600, 2_000, 2_000, 4_900, 9_000] as const

interface Given {
  readonly isSandbox: boolean
  readonly vehicles: readonly string[]
}

/** One order: its quotes, the delivery, and everything that is done to it. */
export function drawOrder(chance: Chance, name: string, { isSandbox, vehicles }: Given): readonly Move[] {
  const startMs = chance.between(0, 90) * MINUTE_MS
  const quote = quoteWords(chance)
  const shop = { atMs: startMs, actor: `${name}/shop` }
  const again = { atMs: startMs + chance.between(0, 20) * SECOND_MS, actor: `${name}/shop-again` }
  return [
    command(shop, "delivery.quote", quote, { as: name }),
    ...(chance.happens(150) ? [command(again, "delivery.create", {}, { for: name })] : []),
    ...at(`${name}/shop`, startMs, shopWords(chance), chance, name),
    ...(isSandbox && chance.happens(700)
      ? at(`${name}/portal`, startMs, portalWords(chance), chance, name)
      : []),
    ...at(`${name}/site`, startMs, siteWords(chance, vehicles), chance, name),
    ...at(`${name}/customer`, startMs + 5 * MINUTE_MS, customerWords(chance), chance, name),
  ]
}

const offset = (ms: number): TimeRef => ({ type: "offset", ms })

function quoteWords(chance: Chance): FieldValues {
  return {
    phone: chance.of(PHONES),
    north_m: chance.of(DROPOFFS_M),
    ...(chance.happens(200) ? { ready_by: offset(chance.between(-1, 300) * MINUTE_MS) } : {}),
    ...(chance.happens(60) ? { zip: chance.of(["78758", "00000"]) } : {}),
  }
}

function shopWords(chance: Chance): readonly Timed<Word>[] {
  const words: Timed<Word>[] = []
  if (chance.happens(150))
    words.push([chance.between(0, 8) * MINUTE_MS, ["delivery.requote", quoteWords(chance)]])
  words.push([
    chance.weighted([
      [8, chance.between(0, 60) * SECOND_MS],
      [2, chance.between(4, 6) * MINUTE_MS],
    ]),
    ["delivery.create", chance.happens(300) ? { first_name: "Ada" } : {}],
  ])
  if (chance.happens(250)) words.push([gap(chance), ["delivery.create", {}]])
  if (chance.happens(250)) words.push([gap(chance), ["delivery.read", {}]])
  if (chance.happens(150)) {
    words.push([chance.between(0, 40) * MINUTE_MS, ["delivery.cancel", { cancellation_reason: "closed" }]])
    if (chance.happens(300)) words.push([gap(chance), ["delivery.cancel", {}]])
  }
  return words
}

function portalWords(chance: Chance): readonly Timed<Word>[] {
  return Array.from({ length: chance.between(1, 10) }, (): Timed<Word> => [
    gap(chance),
    ["delivery.advance", {}],
  ])
}

function siteWords(chance: Chance, vehicles: readonly string[]): readonly Timed<Word>[] {
  const words: Timed<Word>[] = []
  while (chance.happens(250) && words.length < 4)
    words.push([gap(chance), ["delivery.supervise", { status: chance.of(STATUSES) }]])
  const [first, ...rest] = vehicles
  if (first !== undefined && chance.happens(120))
    words.push([gap(chance), ["delivery.reassign", { vehicle: chance.of([first, ...rest]) }]])
  return words
}

function customerWords(chance: Chance): readonly Timed<Word>[] {
  const words: Timed<Word>[] = []
  if (chance.happens(80))
    words.push([gap(chance), ["customer.reply", { text: chance.of(["STOP", "START", "hello"]) }]])
  // An impatient customer tries from the order on until the vehicle is there.
  const tries = chance.weighted([
    [5, 0],
    [3, chance.between(1, 6)],
    [2, chance.between(15, 30)],
  ])
  for (let count = 0; count < tries; count += 1) {
    const digits = chance.happens(100) ? { digits: "9999" } : {}
    words.push([chance.between(20, 200) * SECOND_MS, ["compartment.open", digits]])
  }
  if (chance.happens(60)) words.push([gap(chance), ["compartment.grant", {}]])
  return words
}

/** A vehicle's reports by its own clock, which may be wrong, or its drives to the end of a run. */
export function drawVehicle(
  chance: Chance,
  name: string,
  { driftMs, untilMs }: { readonly driftMs: number; readonly untilMs: number },
): readonly Move[] {
  const actor = `${name}/vehicle`
  const moves: Move[] = []
  let atMs = chance.between(0, 30) * MINUTE_MS
  while (atMs < untilMs && moves.length < VEHICLE_MOVES_MAX) {
    const drives = chance.happens(400)
    if (drives) moves.push(command({ atMs, actor }, "vehicle.drive", {}, { for: name }))
    else for (const one of way(chance, { name, atMs, driftMs })) moves.push(one)
    atMs = (moves.at(-1)?.atMs ?? atMs) + chance.between(1, 30) * MINUTE_MS
    if (chance.happens(100)) {
      const words = ["vehicle.go_offline", "vehicle.go_online"] as const
      moves.push(command({ atMs, actor }, chance.of(words), {}, { for: name }))
    }
  }
  return moves
}

/** Metres north of the store, and the load: there, waiting, and to the customer. */
const WAY = [
  [990, null],
  [600, null],
  [49, null],
  [10, null],
  [10, "loaded"],
  [110, "loaded"],
  [600, "loaded"],
  [1_990, "loaded"],
  [1_990, "unloaded"],
] as const

function way(
  chance: Chance,
  { name, atMs, driftMs }: { readonly name: string; readonly atMs: number; readonly driftMs: number },
): readonly Move[] {
  let nowMs = atMs
  const kept = WAY.filter(() => !chance.happens(120))
  const taken = chance.happens(100) ? chance.shuffled(kept) : kept
  return taken.map(([north, load]) => {
    nowMs += chance.weighted([
      [6, chance.between(5, 120) * SECOND_MS],
      [1, chance.between(2, 15) * MINUTE_MS],
    ])
    return command(
      { atMs: nowMs, actor: `${name}/vehicle` },
      "vehicle.report",
      {
        north_m: north,
        ...(load === null ? {} : { load }),
        ...(driftMs === 0 ? {} : { recorded_at: offset(driftMs) }),
      },
      { for: name },
    )
  })
}

function gap(chance: Chance): number {
  return chance.weighted([
    [1, 0],
    [6, chance.between(1, 240) * SECOND_MS],
    [3, chance.between(2, 15) * MINUTE_MS],
  ])
}
