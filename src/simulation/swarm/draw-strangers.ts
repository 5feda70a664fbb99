/** Callers with a key that may not reach what the plan's partner has: another partner, and keys that are no longer valid. */

import { BOT_STATUSES } from "../../model/bot.ts"
import type { CommandName, FieldValues } from "../scenario/language/language.ts"
import type { Chance } from "./chance.ts"
import { NOWHERE } from "./nowhere.ts"
import { command } from "./moves.ts"
import type { Move, World } from "./plan.ts"

type Callers = Pick<World, "keys" | "partners">

const RIVAL = "rival"

/** Callers of a run; none in most. */
export function drawCallers(chance: Chance): Callers {
  if (!chance.happens(300)) return {}
  const states = chance.some(["revoked", "expired", "wrong"], 500)
  return {
    partners: [{ as: RIVAL, fields: {}, place: NOWHERE }],
    keys: states.map((state) => ({ as: `${state}_key`, fields: { state }, place: NOWHERE })),
  }
}

/** Their calls about what the moves make, at any time after that. */
export function drawStrangers(
  chance: Chance,
  { keys = [], partners = [] }: Callers,
  own: readonly Move[],
  untilMs: number,
): readonly Move[] {
  const [first, ...rest] = [...partners, ...keys].map(({ as }) => as)
  if (first === undefined) return []
  return own.flatMap(({ act, atMs }): readonly Move[] => {
    if (act.verb !== "do" || act.as === null || !chance.happens(600)) return []
    const words = wordsAbout(act.command, chance)
    if (words === null) return []
    const subject = act.as
    return Array.from({ length: chance.between(1, 3) }, () => {
      const [name, values] = chance.of(words)
      const by = chance.of([first, ...rest])
      const laterMs = chance.between(atMs, Math.max(atMs, untilMs))
      const move = command({ atMs: laterMs, actor: `stranger/${by}` }, name, values, { for: subject })
      return { ...move, act: { ...move.act, by } }
    })
  })
}

type Words = readonly [
  readonly [CommandName, FieldValues],
  ...(readonly (readonly [CommandName, FieldValues])[]),
]

/** Null for what a partner's key does not make. */
function wordsAbout(made: CommandName, chance: Chance): Words | null {
  if (made === "reservation.create")
    return [
      ["reservation.read", {}],
      ["reservation.cancel", { reason: "not mine" }],
      ["bot.report", { status: chance.of(BOT_STATUSES) }],
    ]
  if (made === "delivery.quote")
    return [
      ["delivery.read", {}],
      ["delivery.cancel", {}],
    ]
  return null
}
