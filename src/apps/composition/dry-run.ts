/** Dry runs over the program of the service. */

import { Layer } from "effect"
import type { Group } from "../../engine/kernel/group.ts"
import type { TurnInput } from "../../engine/kernel/journal.ts"
import { takeTurn } from "../../engine/kernel/turn.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { DryRun } from "../../engine/services/dry-run.ts"
import { program } from "./program.ts"

/** Its turns create no ids that anybody sees. */
const NONCE = "0".repeat(32)

export const layerDryRun: Layer.Layer<DryRun> = Layer.succeed(DryRun, {
  take: (group, { to, event, atMs }) => {
    const result = turnOf(group, { to, event, atMs })
    return { outcome: result.outcome, group: result.outcome.type === "refused" ? group : result.group }
  },
  start: ({ to, machine, input, atMs }) => turnOf(null, { to, start: { machine, input }, atMs }).group,
})

type Asked = Pick<TurnInput, "atMs" | "to"> & Partial<Pick<TurnInput, "event" | "start">>

function turnOf(group: Group | null, asked: Asked): TurnResult {
  const rest = { by: "command", facts: null, decision: null, nonce: NONCE, cause: null } as const
  const result = takeTurn(program, group, { ...asked, ...rest, instantMs: asked.atMs })
  if (result === null) throw new Error("a command is no timer")
  return result
}
