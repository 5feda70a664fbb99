/** Dry runs over the program of the service. */

import { Layer } from "effect"
import { takeTurn } from "../kernel/turn.ts"
import { DryRun } from "../services/dry-run.ts"
import { program } from "./program.ts"

/** Its turns create no ids that anybody sees. */
const NONCE = "0".repeat(32)

export const layerDryRun: Layer.Layer<DryRun> = Layer.succeed(DryRun, {
  take: (group, { to, event, atMs }) => {
    const result = takeTurn(program, group, {
      to,
      by: "command",
      event,
      facts: null,
      decision: null,
      atMs,
      instantMs: atMs,
      nonce: NONCE,
      cause: null,
    })
    if (result === null) throw new Error("a command is no timer")
    return { outcome: result.outcome, group: result.outcome.type === "refused" ? group : result.group }
  },
})
