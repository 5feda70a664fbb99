/** A group of the running service as a scenario. The simulator is loaded with the first one. */

import type { GroupAddress } from "../../model/address.ts"
import type { KeptScenario } from "../../model/live-group.ts"

export async function keptScenario(
  record: string,
  kept: { readonly group: GroupAddress; readonly because: string | null },
): Promise<KeptScenario> {
  const { NoScenario, scenarioOfRecord } = await import("../../simulation/from-journal/from-record.ts")
  try {
    return { ...scenarioOfRecord(record, "the journal", kept), refusal: null }
  } catch (cause) {
    if (cause instanceof NoScenario) return { text: null, notes: [], refusal: cause.message }
    throw cause
  }
}
