/** Faults of scenarios against a service: those of the partner's own side happen at the receivers of the run, the others cannot be made. */

import { durationIfGiven } from "../../simulation/scenario/language/field-values.ts"
import { scriptedAnswers } from "../../simulation/scenario/inject.ts"
import type { AnswerRef, FaultName, Step } from "../../simulation/scenario/language/language.ts"
import { openLinkUrlOf } from "../../simulation/scenario/request-bodies.ts"
import type { Reason } from "./commands.ts"
import type { RemoteRun } from "./remote-run.ts"

type Injected = Extract<Step, { readonly verb: "inject" }>

const INSIDE = "it is inside of the service"
const CONNECTOR = "it is a system of the connector, which the sandbox does not have"

export const INJECT: Readonly<Record<FaultName, Reason | ((run: RemoteRun, step: Injected) => void)>> = {
  "open_link.answers": (run, step) => run.receiver.script(openLinkUrlOf(step.for ?? ""), answersOf(step)),
  "webhook.answers": (run, step) => {
    for (const url of run.webhooks.get(step.for ?? "")?.urls ?? []) run.receiver.script(url, answersOf(step))
  },
  "webhook.down": (run, step) => {
    const untilMs = run.nowMs + (durationIfGiven(step.with, "lasts") ?? 0)
    for (const url of run.webhooks.get(step.for ?? "")?.urls ?? []) run.receiver.takeDown(url, untilMs)
  },
  "host.fault": "names of hosts are looked up by the service",
  "photo_signing.fails": INSIDE,
  "photo_signing.works": INSIDE,
  "calls.lost": INSIDE,
  "node.lost": INSIDE,
  "service.crashes": INSIDE,
  "geocoder.fails": INSIDE,
  "geocoder.works": INSIDE,
  "store_directory.fails": CONNECTOR,
  "store_directory.works": CONNECTOR,
  "payments.fail": CONNECTOR,
  "payments.lose_answers": CONNECTOR,
  "payments.take": CONNECTOR,
  "payments.work": CONNECTOR,
  "fleet.answers": "no fleet is on this machine",
}

function answersOf(step: Injected) {
  return scriptedAnswers(step.with["answers"] as readonly AnswerRef[])
}
