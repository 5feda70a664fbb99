/** Clocks and moves as the sandbox's API and the portal answer them. */

import { Schema } from "effect"
import { CLOCK_MOVE_TURNS_SHOWN_MAX } from "../../../model/values/limits.ts"
import { isoMs } from "../../../model/values/time.ts"
import { timerName } from "../../../model/timer-name.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import type { ClockTimer } from "../moves.ts"
import type { ClockMoveTurn } from "../rows.ts"
import type { ClockView, MoveEnd, MoveView } from "../sandbox-clock.ts"

const Integer = Schema.Number.annotations({ jsonSchema: { type: "integer" } })
const Count = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } })

const Mode = Schema.Literal("real", "ahead", "behind", "frozen").annotations({
  description: "`behind`: it was frozen for a time, and runs again.",
})

const GroupAddress = Schema.String.annotations({
  description: "What it belongs to, such as `reservation/res_…` or `webhook-delivery/…`.",
})

const Timer = Schema.Struct({
  at: DateTime,
  group: GroupAddress,
  name: Schema.String.annotations({ description: "What it waits for, such as `window and grace`." }),
}).annotations({
  identifier: "ClockTimer",
})

export const Clock = Schema.Struct({
  mode: Mode,
  now: DateTime,
  offset_ms: Integer.annotations({ description: "What it is ahead of real time; negative: behind." }),
  frozen_since: Schema.NullOr(DateTime).annotations({ description: "In real time." }),
  next_timer: Schema.NullOr(Timer),
  move_id: Schema.NullOr(Schema.String).annotations({ description: "The move that is running." }),
}).annotations({ identifier: "Clock", description: "The organization's clock in the sandbox." })

const End = Schema.Struct({ mode: Mode, now: DateTime, offset_ms: Integer })

const Happening = Schema.Struct({
  at: DateTime,
  group: GroupAddress,
  cause: Schema.Literal("timer", "message", "result", "command").annotations({
    description: "A timer, a message of another group, the result of a call, or a command.",
  }),
  event: Schema.String,
  outcome: Schema.String.annotations({
    description: "The state that it is in afterwards, or the code of a refusal.",
  }),
}).annotations({ identifier: "ClockHappening" })

export const Happened = Schema.Struct({
  count: Count,
  items: Schema.Array(Happening).annotations({
    description: `In order; the first ${CLOCK_MOVE_TURNS_SHOWN_MAX}.`,
  }),
})

export const Move = Schema.Struct({
  id: Schema.String,
  status: Schema.Literal("running", "finished", "stopped").annotations({
    description: "`stopped`: as many due entries as one move may take were taken; move on from there.",
  }),
  target: DateTime,
  reached: DateTime.annotations({ description: "The instant that it has reached." }),
  before: End,
  after: Schema.NullOr(End).annotations({ description: "Null while it runs." }),
  started_at: DateTime.annotations({ description: "In real time." }),
  ended_at: Schema.NullOr(DateTime).annotations({ description: "In real time." }),
  entries: Count.annotations({ description: "Timers and messages that were due." }),
  happened: Happened,
}).annotations({ identifier: "ClockMove", description: "A move of the clock, and what happened in it." })

export function clockRecord(view: ClockView): object {
  const { frozenSinceMs, nextTimer, moveId } = view
  return {
    ...endRecord(view),
    frozen_since: isoMs(frozenSinceMs),
    next_timer: nextTimer === null ? null : timerRecord(nextTimer),
    move_id: moveId,
  }
}

export function moveRecord(view: MoveView): object {
  const { move, before, after } = view
  return {
    id: move.moveId,
    status: move.status,
    target: isoMs(move.toMs),
    reached: isoMs(move.atMs),
    before: endRecord(before),
    after: after === null ? null : endRecord(after),
    started_at: isoMs(move.startedAtMs),
    ended_at: isoMs(move.endedAtMs),
    entries: move.entries,
    happened: happenedRecord(view),
  }
}

export function happenedRecord({ move, turns }: Pick<MoveView, "move" | "turns">): object {
  return { count: move.turns, items: turns.map(turnRecord) }
}

function endRecord({ mode, nowMs, offsetMs }: MoveEnd): object {
  return { mode, now: isoMs(nowMs), offset_ms: offsetMs }
}

function timerRecord({ atMs, group, name }: ClockTimer): object {
  return { at: isoMs(atMs), group, name: timerName(name) ?? name }
}

function turnRecord({ instantMs, groupAddress, input, event, outcome }: ClockMoveTurn): object {
  const name = timerName(event) ?? event
  return { at: isoMs(instantMs), group: groupAddress, cause: input, event: name, outcome }
}
