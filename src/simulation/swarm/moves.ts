/** How moves are made: a command at a time, and a course of commands one after the other. */

import type { CommandName, FaultName, FieldValues } from "../scenario/language/language.ts"
import type { Chance } from "./chance.ts"
import type { Move } from "./plan.ts"

/** A word and the pause before it. */
export type Timed<Word> = readonly [pauseMs: number, word: Word]

export function command(
  when: Pick<Move, "actor" | "atMs">,
  name: CommandName,
  values: FieldValues,
  names: { readonly as?: string; readonly for?: string } = {},
): Move {
  return {
    ...when,
    act: { verb: "do", command: name, as: names.as ?? null, for: names.for ?? null, with: values },
  }
}

export function fault(
  atMs: number,
  name: FaultName,
  values: FieldValues = {},
  target: string | null = null,
): Move {
  return { atMs, actor: "outside", act: { verb: "inject", fault: name, for: target, with: values } }
}

/** A course of one actor about one subject. Some courses begin before their subject exists. */
export function at(
  actor: string,
  startMs: number,
  words: readonly Timed<readonly [CommandName, FieldValues]>[],
  chance: Chance,
  subject: string,
): readonly Move[] {
  let atMs = startMs + chance.between(0, 60) * 1000
  return words.map(([pauseMs, [name, values]]) => {
    atMs += pauseMs
    return command({ atMs, actor }, name, values, { for: subject })
  })
}
