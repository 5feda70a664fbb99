/**
 * Tasks as a runner's phone sees and moves them: those of its site alone, in the name of its runner. The moves are the
 * commands that the operations API has. A move has a key from the phone, so that one that is sent again is not made
 * again; its record, and its line in the audit log, are written in the transaction of its command.
 */

import { Context, Effect, Layer } from "effect"
import type { Operator } from "../../model/caller.ts"
import { Refused, isRefusalCode } from "../../model/values/errors.ts"
import type { RefusalCode } from "../../model/values/errors.ts"
import type { MovedTask, PhoneRecord, PhoneTask } from "../../model/requests/runner-app.ts"
import type { RunnerMove } from "../../model/requests/runner-moves.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { RunnerPhoneRows } from "../../areas/runner-phones/rows.ts"
import { RunnerPhones } from "../../areas/runner-phones/runner-phones.ts"
import type { PairedPhone } from "../../areas/runner-phones/runner-phones.ts"
import { Places } from "../operations/places.ts"
import { RunnerBoard } from "../operations/runner-board.ts"
import type { SiteTask } from "../operations/runner-board.ts"
import { OperatorActions } from "../operators/actions.ts"
import type { CommandNote } from "../../engine/services/command-notes.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"

export interface PhoneMove {
  readonly reservationId: string
  readonly move: RunnerMove
  /** Of the move, for the audit log. */
  readonly operationId: string
  /** Chosen by the phone; the same for each time that it sends this move. */
  readonly key: string
  /** When the runner pressed the button, by the phone's clock. */
  readonly phoneAtMs: EpochMs | null
}

export class PhoneTasks extends Context.Tag("PhoneTasks")<
  PhoneTasks,
  {
    readonly me: (phone: PairedPhone) => Routine<PhoneRecord, Refused>
    /** Open tasks of the site, the one that is due first before the others. */
    readonly list: (phone: PairedPhone) => Routine<readonly PhoneTask[], Refused>
    readonly read: (phone: PairedPhone, reservationId: string) => Routine<PhoneTask, Refused>
    /** Runs the command of a move, unless this phone has made it before. */
    readonly move: <R>(
      phone: PairedPhone,
      move: PhoneMove,
      command: (caller: Operator) => Effect.Effect<unknown, Refused, R>,
    ) => Effect.Effect<MovedTask, Refused, R>
  }
>() {}

type Needs = OperatorActions | Places | RunnerBoard | RunnerPhoneRows | RunnerPhones

export const layerPhoneTasks: Layer.Layer<PhoneTasks, never, Needs> = Layer.effect(
  PhoneTasks,
  Effect.map(Effect.context<Needs>(), (context): PhoneTasks["Type"] => ({
    me: (phone) => provided(me(phone), context),
    list: (phone) => provided(list(phone), context),
    read: (phone, reservationId) => provided(read(phone, reservationId), context),
    move: Effect.fnUntraced(function* (phone, asked, command) {
      const actions = Context.get(context, OperatorActions)
      const isRepeat = yield* provided(isMade(phone, asked), context)
      if (!isRepeat) {
        const note = yield* provided(noteOf(phone, asked), context)
        const doing = {
          environment: phone.environment,
          actorType: "phone",
          actorId: phone.phoneId,
          action: asked.operationId,
          subjectId: asked.reservationId,
        } as const
        const made = Effect.zipRight(provided(requireOwn(phone, asked), context), command(callerOf(phone)))
        yield* actions.noting(doing, made, { more: note }).pipe(
          // Another request with the same key may have made it meanwhile.
          Effect.catchAll((refused) =>
            Routine.flatMap(provided(isMade(phone, asked), context), (was) =>
              was ? Routine.void : Routine.fail(refused),
            ),
          ),
        )
      }
      return { task: yield* provided(read(phone, asked.reservationId), context), is_repeat: isRepeat }
    }),
  })),
)

/** A phone acts as a runner, in its environment alone. */
function callerOf({ environment }: PairedPhone): Operator {
  return { type: "operator", by: "runner", environment }
}

const me = Routine.fn(function* (phone: PairedPhone) {
  const place = yield* (yield* Places).site(phone.environment, phone.siteId)
  if (place === null) return yield* new Refused({ code: "NOT_FOUND", detail: "site" })
  return {
    phone_id: phone.phoneId,
    runner_id: phone.runnerId,
    runner_name: phone.runnerName,
    environment: phone.environment,
    site: { site_id: place.siteId, name: place.name, timezone: place.timezone },
    ends_at: isoMs(phone.endsAtMs),
  } satisfies PhoneRecord
})

const list = Routine.fn(function* (phone: PairedPhone) {
  const board = yield* RunnerBoard
  const names = yield* (yield* RunnerPhones).names(phone)
  const tasks = yield* board.siteTasks(callerOf(phone), phone.siteId)
  return tasks.map((task) => phoneTask(phone, names, task))
})

const read = Routine.fn(function* (phone: PairedPhone, reservationId: string) {
  const board = yield* RunnerBoard
  const names = yield* (yield* RunnerPhones).names(phone)
  return phoneTask(phone, names, yield* board.siteTask(callerOf(phone), phone.siteId, reservationId))
})

/**
 * Whether this phone has made the move. Fails for a move that may not be made: of another site, refused before, or with the
 * key of another move.
 */
const isMade = Routine.fn(function* (phone: PairedPhone, asked: PhoneMove) {
  const rows = yield* RunnerPhoneRows
  // Of this site.
  yield* read(phone, asked.reservationId)
  const known = yield* rows.move(phone.phoneId, asked.key)
  if (known === null) return false
  if (known.reservationId !== asked.reservationId || known.move !== asked.move) {
    const problem = { field: "Idempotency-Key", message: "was sent with another move" }
    return yield* new Refused({ code: "VALIDATION_ERROR", problems: [problem] })
  }
  if (isRefusalCode(known.outcome)) return yield* new Refused({ code: known.outcome })
  return true
})

/** The machine decides who gets a free task. A task never changes its runner, so the answer holds until the command. */
const requireOwn = Routine.fn(function* (phone: PairedPhone, { move, reservationId }: PhoneMove) {
  const task = yield* read(phone, reservationId)
  if (move !== "runner" && task.holder !== "you") return yield* new Refused(notYours(task))
})

function notYours({ holder, runner_name }: PhoneTask): {
  readonly code: RefusalCode
  readonly detail: string
} {
  const detail = holder === "free" ? "take the task first" : `${runner_name ?? "another runner"} has the task`
  return { code: "INVALID_STATE", detail }
}

/** Written for a refusal as well: the phone gets the same answer when it asks again. */
const noteOf = Routine.fn(function* (phone: PairedPhone, asked: PhoneMove) {
  const rows = yield* RunnerPhoneRows
  const { phoneId, runnerId, environment } = phone
  const { reservationId, move, key: moveKey, phoneAtMs } = asked
  return {
    command: null,
    write: Routine.fn(function* (result) {
      if ((yield* rows.move(phoneId, moveKey)) !== null) return
      const atMs = yield* realNowMs
      const outcome = outcomeOf(result)
      const made = { reservationId, move, outcome, atMs, phoneAtMs }
      yield* rows.insertMove({ phoneId, moveKey, environment, runnerId, ...made })
    }),
  } satisfies CommandNote
})

function outcomeOf(result: unknown): string {
  const { type, code } = (result ?? {}) as { readonly type?: unknown; readonly code?: unknown }
  return type === "refused" && typeof code === "string" ? code : "done"
}

/** Others' tasks are seen and not moved; a free one can be taken. */
function phoneTask(
  { runnerId, runnerName }: PairedPhone,
  names: ReadonlyMap<string, string>,
  { reservation, dueAtMs, ahead, nowMs }: SiteTask,
): PhoneTask {
  const { runner_id } = reservation
  const holder = runner_id === null ? "free" : runner_id === runnerId ? "you" : "other"
  const mayMove = (move: RunnerMove): boolean => holder === "you" || (holder === "free" && move === "runner")
  const { next_move } = reservation
  return {
    reservation_id: reservation.reservation_id,
    status: reservation.status,
    stall_label: reservation.stall_label,
    order_number: reservation.order_number,
    pickup_reference: reservation.pickup_reference,
    end_user_name: reservation.end_user_name,
    retailer_name: reservation.retailer_name,
    retailer_support_phone: reservation.retailer_support_phone,
    pickup_requirements: reservation.pickup_requirements,
    arrival_window_start: reservation.arrival_window_start,
    arrival_window_end: reservation.arrival_window_end,
    payload_limit: reservation.payload_limit,
    bot: reservation.bot,
    handoff: reservation.handoff,
    open_exceptions: reservation.open_exceptions,
    is_order_returning: reservation.is_order_returning,
    holder,
    runner_name: runner_id === null ? null : holder === "you" ? runnerName : (names.get(runner_id) ?? null),
    due_at: isoMs(dueAtMs),
    next_move: next_move !== null && mayMove(next_move) ? next_move : null,
    moves: reservation.moves.filter(({ move }) => mayMove(move)),
    raisable_exceptions: holder === "you" ? reservation.raisable_exceptions : [],
    ahead: holder === "other" ? [] : ahead,
    now: isoMs(nowMs),
  }
}
