/** Window policy: the settings of an environment's policy that operations read and change while the service runs. */

import type { Environment, Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import type {
  ChangeWindowPolicyRequest,
  WindowPolicyRecord,
} from "../../model/requests/operations-requests.ts"
import { DAY_MS, SECOND_MS } from "../../model/values/time.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Policies, PolicyRows } from "../../engine/services/policies.ts"
import type { EnvironmentPolicy, PolicyChanges } from "../../engine/services/policies.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export class WindowPolicy extends service<WindowPolicy>()("WindowPolicy", () => ({
  read: ({ environment }: Operator) => policyOf(environment),
  change: changePolicy,
})) {}

/** Applies from the next booking on; a moved window is checked against the limits at the time of the move. */
const changePolicy = Routine.fn(function* (caller: Operator, request: ChangeWindowPolicyRequest) {
  const host = yield* ActorHost
  const { environment } = caller
  return yield* host.run({
    name: "change the window policy",
    locks: { key: `policy/${environment}` },
    body: Routine.fn(function* () {
      const rows = yield* PolicyRows
      const known = yield* rows.changes(environment)
      yield* rows.put(environment, { ...known, ...changesOf(request) })
      const policy = yield* policyOf(environment)
      yield* checkPolicy(policy, request)
      return policy
    }),
  })
})

/** For contradicting fields, the ones that were sent are reported. */
function checkPolicy(policy: WindowPolicyRecord, request: ChangeWindowPolicyRequest): Routine<void, Refused> {
  const { window_width_min_seconds: min, window_width_max_seconds: max } = policy
  if (min <= max) return Routine.void
  const problem =
    request.window_width_max_seconds === undefined
      ? { field: "window_width_min_seconds", message: `must be at most window_width_max_seconds, ${max}` }
      : { field: "window_width_max_seconds", message: `must be at least window_width_min_seconds, ${min}` }
  return Routine.fail(new Refused({ code: "VALIDATION_ERROR", problems: [problem] }))
}

const policyOf = Routine.fn(function* (environment: Environment) {
  const policies = yield* Policies
  return policyRecord(yield* policies.of(environment))
})

function policyRecord(policy: EnvironmentPolicy): WindowPolicyRecord {
  const { window, reservation, announcesHandoffs, photoLinkLifetimeMs, keepLoadPhotosMs } = policy
  return {
    window_ahead_max_seconds: window.aheadMsMax / SECOND_MS,
    window_width_min_seconds: window.widthMsMin / SECOND_MS,
    window_width_max_seconds: window.widthMsMax / SECOND_MS,
    window_grace_seconds: reservation.windowGraceMs / SECOND_MS,
    bot_wait_seconds: reservation.botWaitMs / SECOND_MS,
    staging_lead_seconds: reservation.stagingLeadMs / SECOND_MS,
    photo_link_lifetime_seconds: photoLinkLifetimeMs / SECOND_MS,
    photo_retention_days: keepLoadPhotosMs / DAY_MS,
    announces_handoffs: announcesHandoffs,
  }
}

/** Only sent fields; the others keep their values. */
function changesOf(request: ChangeWindowPolicyRequest): PolicyChanges {
  const changes = {
    aheadMsMax: inMs(request.window_ahead_max_seconds),
    widthMsMin: inMs(request.window_width_min_seconds),
    widthMsMax: inMs(request.window_width_max_seconds),
    windowGraceMs: inMs(request.window_grace_seconds),
    botWaitMs: inMs(request.bot_wait_seconds),
    stagingLeadMs: inMs(request.staging_lead_seconds),
    photoLinkLifetimeMs: inMs(request.photo_link_lifetime_seconds),
    keepLoadPhotosMs: inMs(request.photo_retention_days, DAY_MS),
    announcesHandoffs: request.announces_handoffs,
  }
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

function inMs(count: number | undefined, unitMs = SECOND_MS): number | undefined {
  return count === undefined ? undefined : count * unitMs
}
