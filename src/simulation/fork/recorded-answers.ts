/**
 * The outside world of a fork: a call is answered as the journal has it, after the same time, unless the what-if file
 * scripts its receiver. A call that the journal does not have is answered by the world of the scenarios.
 */

import { Clock, Effect } from "effect"
import { groupOf, idOf, kindOf } from "../../model/address.ts"
import type { Address } from "../../model/address.ts"
import type { CallResult } from "../../model/call-result.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Call } from "../../engine/kernel/turn.ts"
import type { Areas, Performer } from "../../engine/services/host.ts"
import type { Journal } from "./journal.ts"
import { callKey } from "./journal.ts"
import { sendingsOf } from "./sendings.ts"
import type { Sendings } from "./sendings.ts"

/** The answer of a call in the journal. */
interface Answer {
  readonly result: CallResult
  /** When it came if the call was in flight at the moment; null for a call that was made later. */
  readonly atMs: EpochMs | null
  readonly tookMs: number
}

export class RecordedAnswers {
  readonly #answers = new Map<string, Answer>()
  readonly #recorded: Sendings
  #used = 0

  constructor(journal: Journal) {
    this.#recorded = sendingsOf(journal, journal.turns.length).sendings
    const made = new Map<string, { readonly call: Call; readonly atMs: EpochMs; readonly isKept: boolean }>()
    for (const [at, { input, result }] of journal.turns.entries()) {
      const asked = made.get(callKey(input.to, input.cause, input.event?.["attempt"]))
      if (input.by === "result" && asked !== undefined && at >= journal.kept && isResult(input.event?.type)) {
        const { call, atMs, isKept } = asked
        const answer: Answer = {
          result: input.event as unknown as CallResult,
          atMs: isKept ? result.instantMs : null,
          tookMs: result.instantMs - atMs,
        }
        const name = this.#nameOf(call, this.#recorded)
        if (!this.#answers.has(name)) this.#answers.set(name, answer)
      }
      for (const call of result.calls) {
        const more = { call, atMs: result.instantMs, isKept: at < journal.kept }
        made.set(callKey(call.actor, call.cause, call.attempt), more)
      }
    }
  }

  /** How many calls were answered as recorded. */
  get used(): number {
    return this.#used
  }

  /** `sendings`: those of the fork. `isScripted`: whether the file answers for the receiver of a call. */
  over(
    areas: Areas["Type"],
    { sendings, isScripted }: { readonly sendings: Sendings; readonly isScripted: (call: Call) => boolean },
  ): Areas["Type"] {
    const performers = areas.performers.map((performer): Performer => ({
      call: performer.call,
      leaseMs: performer.leaseMs,
      perform: (call) =>
        Effect.suspend(() => {
          const answer = this.#answers.get(this.#nameOf(call, sendings))
          if (answer === undefined || isScripted(call)) return performer.perform(call)
          this.#used += 1
          return Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
            const waitMs = answer.atMs === null ? answer.tookMs : Math.max(0, answer.atMs - nowMs)
            return Effect.as(Effect.sleep(waitMs), { ...answer.result, attempt: call.attempt })
          })
        }),
    }))
    return { ...areas, performers }
  }

  #nameOf({ actor, call, attempt }: Call, sendings: Sendings): string {
    return `${actorName(actor, sendings)} ${call} ${attempt}`
  }
}

function actorName(actor: Address, sendings: Sendings): string {
  return kindOf(actor) === "webhook-delivery"
    ? (sendings.nameByGroup.get(groupOf(actor)) ?? idOf(actor))
    : actor
}

/** A lost or a deferred call has no answer. */
function isResult(type: string | undefined): boolean {
  return type === "call.succeeded" || type === "call.failed" || type === "call.discarded"
}
