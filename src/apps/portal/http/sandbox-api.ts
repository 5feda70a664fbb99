/** `/portal/api/sandbox/clock`, `/scenarios`, `/agents` and `/errands`: the sandbox's own API for members, for any position of the switch. */

import { Effect } from "effect"
import { agents } from "../../../areas/agents/http/agents.ts"
import { clock } from "../../../areas/clock/http/clock.ts"
import { scenarios } from "../../../areas/courses/http/scenarios.ts"
import type { SandboxEndpoint } from "../../../http/endpoint.ts"
import { partnerOf } from "../caller.ts"
import type { MemberEndpoint } from "./endpoint.ts"

/** A session instead of a key; everything else is the endpoint's own. */
function ofMember<R>(endpoint: SandboxEndpoint<R>): MemberEndpoint<R> {
  const { method, path, operationId, summary, parameters, body, answers, errors, handle } = endpoint
  return {
    method,
    path: path.replace("/sandbox/v1", "/portal/api/sandbox"),
    operationId,
    summary,
    asks: "member",
    parameters,
    body,
    answers,
    errors,
    handle: ({ caller, id, body: sent }) =>
      Effect.flatMap(partnerOf(caller, "sandbox"), (partner) => handle({ caller: partner, id, body: sent })),
  }
}

export const sandboxClock = clock.map(ofMember)

export const sandboxAgents = agents.map(ofMember)

export const sandboxScenarios = scenarios.map(ofMember)
