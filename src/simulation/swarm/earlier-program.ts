/** What an earlier program started otherwise than this one, for the upgrade of a run. */

import { Struct } from "effect"
import type { ActorStart } from "../../engine/services/host.ts"
import type { EnvironmentPolicy } from "../../engine/services/policies.ts"

/** Versions of machines that an earlier program starts, by those of this program. */
const EARLIER: Readonly<Record<string, string>> = {
  "open-link@2": "open-link@1",
  "webhook-delivery@2": "webhook-delivery@1",
}

/** How an earlier program would start this actor: by the machine's version of its own, with the input of that one. */
export function earlierStart(start: ActorStart): ActorStart {
  const earlier = EARLIER[start.machine]
  return earlier === undefined ? start : { machine: earlier, input: Struct.omit(start.input, "resendsMax") }
}

/** The policy of an earlier program, whose bookings start machines of the earlier version; this one's after the upgrade. */
export function policyUntilUpgrade(policy: EnvironmentPolicy, isUpgraded: () => boolean): EnvironmentPolicy {
  const earlier = Struct.omit(policy.reservation, "openLinkResendsMax")
  return {
    ...policy,
    get reservation() {
      return isUpgraded() ? policy.reservation : earlier
    },
  }
}
