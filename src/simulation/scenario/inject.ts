/** The `inject` steps: faults of the outside world and of the host, and their ends. */

import { openUrlOf } from "./compartments/do-compartment.ts"
import { INJECT_COURIER } from "./courier/do-courier.ts"
import { RANK } from "../../engine/kernel/agenda.ts"
import type { MemoryHost } from "../../engine/memory/memory-host.ts"
import { USUAL_ANSWER_MS } from "../outside-world.ts"
import type { HostFault, ScriptedAnswer } from "../outside-world.ts"
import { openLinkUrlOf } from "./request-bodies.ts"
import { durationIfGiven, numberIfGiven, textOf } from "./language/field-values.ts"
import type { AnswerRef, Step } from "./language/language.ts"
import type { RunContext } from "./run-context.ts"

/** Breaks or mends a part of the outside world, or of the host. */
export function inject(
  run: RunContext,
  step: Pick<Extract<Step, { verb: "inject" }>, "fault" | "for" | "with">,
): void {
  const { world, host } = run.service
  switch (step.fault) {
    case "open_link.answers": {
      const url = run.row(step.for ?? "")?.openLinkUrl ?? openLinkUrlOf(step.for ?? "")
      return world.script(url, scriptedAnswers(step.with["answers"] as readonly AnswerRef[]))
    }
    case "fleet.answers":
      return world.script(openUrlOf(run) ?? "", scriptedAnswers(step.with["answers"] as readonly AnswerRef[]))
    case "webhook.answers":
      for (const url of run.webhooks.get(step.for ?? "")?.urls ?? []) {
        world.script(url, scriptedAnswers(step.with["answers"] as readonly AnswerRef[]))
      }
      return
    case "webhook.down": {
      const untilMs = run.nowMs + (durationIfGiven(step.with, "lasts") ?? 0)
      for (const url of run.webhooks.get(step.for ?? "")?.urls ?? []) world.takeDown(url, untilMs)
      return
    }
    case "host.fault": {
      const fault = step.with["fault"] as HostFault | "none"
      return world.breakHost(textOf(step.with, "host"), fault === "none" ? null : fault)
    }
    case "photo_signing.fails":
      world.isSigningBroken = true
      return
    case "photo_signing.works":
      world.isSigningBroken = false
      return
    case "calls.lost":
      return host.dropCalls()
    case "node.lost":
      return host.loseNode()
    case "service.crashes":
      return crashAfter(host, numberIfGiven(step.with, "turns") ?? 0)
    case "geocoder.fails":
      world.isGeocoderDown = true
      return
    case "geocoder.works":
      world.isGeocoderDown = false
      return
    default:
      return INJECT_COURIER[step.fault](world, step.with)
  }
}

/** Between two entries of the agenda: at once, or once so many more turns are committed. */
function crashAfter(host: MemoryHost, turns: number): void {
  if (turns === 0) return host.crash()
  let left = turns
  host.onTurn(() => {
    left -= 1
    if (left === 0) host.time.schedule(host.time.nowMs, RANK.timer, () => host.crash())
  })
}

/** The answers of an endpoint as a scenario writes them. */
export function scriptedAnswers(refs: readonly AnswerRef[]): readonly ScriptedAnswer[] {
  return refs.map((ref) =>
    ref.type === "status"
      ? { type: "status", status: ref.status, afterMs: ref.afterMs ?? USUAL_ANSWER_MS }
      : ref,
  )
}
