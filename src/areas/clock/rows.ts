/** Rows of clocks: the clock of each organization that has moved its own, its moves, and what happened in them. */

import { Effect } from "effect"
import { KEEP_CLOCK_MOVES_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { ClockState } from "../../engine/services/organization-clock.ts"
import {
  boolean,
  choice,
  epochMs,
  integer,
  bigint,
  serial,
  text,
} from "../../engine/services/tables/columns.ts"
import { not } from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { repository } from "../../engine/services/service.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { Tables } from "../../engine/services/tables/tables.ts"

/** Hosts over SQL read these columns with each group: `engine/store/group-statements.ts`. */
export const sandboxClocks = table("sandbox_clocks", {
  one: "a clock",
  many: "clocks",
  columns: {
    organizationId: text(),
    /** Grows with every change. */
    version: integer(),
    /** Added to real time while the clock runs. */
    offsetMs: bigint(),
    /** The instant at which it stands still; null while it runs. */
    standsAtMs: epochMs().nullable(),
    /** The real instant since which it stands. */
    standsSinceMs: epochMs().nullable(),
    /** The move that is running. */
    moveId: text().nullable(),
    /** A real instant. */
    changedAtMs: epochMs(),
  },
  key: ["organizationId"],
})

export type ClockRow = RowOf<typeof sandboxClocks>

export const clockMoves = table("clock_moves", {
  one: "a move of a clock",
  many: "moves of clocks",
  columns: {
    moveId: text(),
    organizationId: text(),
    /** The node that runs it. */
    nodeId: text(),
    /** `stopped`: it had taken as many entries as one move may. */
    status: choice<"finished" | "running" | "stopped">(),
    /** True when the clock stood still before; it stands still again afterwards. */
    wasStanding: boolean(),
    /** The offset before. */
    beforeOffsetMs: bigint(),
    /** The organization's instants: before, wanted, and reached. */
    fromMs: epochMs(),
    toMs: epochMs(),
    atMs: epochMs(),
    /** Due entries that it has taken. */
    entries: integer(),
    /** Turns that groups took; the host counts them. */
    turns: integer(),
    /** The course whose steps it plays; null: it only moves the clock. */
    course: text().nullable().default(null),
    /** Real instants. */
    startedAtMs: epochMs(),
    endedAtMs: epochMs().nullable(),
  },
  key: ["moveId"],
  indexes: [
    { name: "clock_moves_running", by: ["nodeId"], where: { status: "running" } },
    { name: "clock_moves_started", by: ["startedAtMs"] },
  ],
  retention: { from: "startedAtMs", keepMs: KEEP_CLOCK_MOVES_MS, where: { status: not("running") } },
})

export type ClockMove = RowOf<typeof clockMoves>

/** The turns of groups during a move; the host writes them in the transactions that take them. */
export const clockMoveTurns = table("clock_move_turns", {
  one: "a turn of a move",
  many: "turns of moves",
  columns: {
    number: serial(),
    moveId: text(),
    instantMs: epochMs(),
    groupAddress: text(),
    /** How it came: a timer, a message, the result of a call, or a command. */
    input: choice<"command" | "message" | "result" | "timer">(),
    event: text(),
    /** The state that its actor is in afterwards, or the code of a refusal. */
    outcome: text(),
    /** A real instant. */
    takenAtMs: epochMs(),
  },
  key: ["number"],
  indexes: [
    { name: "clock_move_turns_move", by: ["moveId", "number"] },
    { name: "clock_move_turns_taken", by: ["takenAtMs"] },
  ],
  retention: { from: "takenAtMs", keepMs: KEEP_CLOCK_MOVES_MS },
})

export type ClockMoveTurn = RowOf<typeof clockMoveTurns>

export class ClockRows extends repository<ClockRows>()(
  "ClockRows",
  Effect.map(Tables, (tables) => {
    const clocks = tables.of(sandboxClocks)
    const moves = tables.of(clockMoves)
    const turns = tables.of(clockMoveTurns)
    return {
      /** Null for an organization that has never moved its clock. */
      clock: (organizationId: string) => clocks.get({ organizationId }),
      putClock: clocks.upsert,
      move: (moveId: string) => moves.get({ moveId }),
      insertMove: moves.insert,
      changeMove: (
        moveId: string,
        change: Partial<Pick<ClockMove, "atMs" | "endedAtMs" | "entries" | "nodeId" | "status" | "toMs">>,
      ) => moves.update({ moveId }, change),
      runningMoves: moves.list({ status: "running" }, { order: ["startedAtMs"] }),
      /** In order. */
      turns: (moveId: string, limit: number) => turns.list({ moveId }, { order: ["number"], limit }),
      purgeMoves: purgeOf(clockMoves, moves),
      purgeTurns: purgeOf(clockMoveTurns, turns),
    }
  }),
) {}

/** The state of a clock, as hosts use it. */
export function stateOf({ organizationId, version, offsetMs, standsAtMs, moveId }: ClockRow): ClockState {
  return { organizationId, version, offsetMs, standsAtMs, moveId }
}

/** The clock of an organization that has never moved its own. */
export function realClock(organizationId: string): ClockRow {
  const unmoved = { standsAtMs: null, standsSinceMs: null, moveId: null }
  return { organizationId, version: 0, offsetMs: 0, ...unmoved, changedAtMs: 0 }
}

/** Makes a running clock stand still; `atMs` is the organization's instant. */
export function standing(row: ClockRow, atMs: EpochMs, realMs: EpochMs): ClockRow {
  return {
    ...row,
    version: row.version + 1,
    standsAtMs: atMs,
    standsSinceMs: row.standsSinceMs ?? realMs,
    changedAtMs: realMs,
  }
}

/** Makes a clock run from the organization's instant. */
export function running(row: ClockRow, atMs: EpochMs, realMs: EpochMs): ClockRow {
  return {
    ...row,
    version: row.version + 1,
    offsetMs: atMs - realMs,
    standsAtMs: null,
    standsSinceMs: null,
    changedAtMs: realMs,
  }
}
