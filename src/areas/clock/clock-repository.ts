/** Clocks and their moves over their declared tables. */

import { Effect, Layer } from "effect"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { ClockRows, clockMoveTurns, clockMoves, sandboxClocks } from "./rows.ts"

export const layerClockRows: Layer.Layer<ClockRows, never, Tables> = Layer.effect(
  ClockRows,
  Effect.map(Tables, (tables): ClockRows["Type"] => {
    const clocks = tables.of(sandboxClocks)
    const moves = tables.of(clockMoves)
    const turns = tables.of(clockMoveTurns)
    return {
      clock: (organizationId) => clocks.get({ organizationId }),
      putClock: clocks.upsert,
      move: (moveId) => moves.get({ moveId }),
      insertMove: moves.insert,
      changeMove: (moveId, change) => moves.update({ moveId }, change),
      runningMoves: moves.list({ status: "running" }, { order: ["startedAtMs"] }),
      turns: (moveId, limit) => turns.list({ moveId }, { order: ["number"], limit }),
      purgeMoves: purgeOf(clockMoves, moves),
      purgeTurns: purgeOf(clockMoveTurns, turns),
    }
  }),
)
