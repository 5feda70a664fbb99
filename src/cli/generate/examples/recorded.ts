/** The text of `src/http/examples.json`; equal at every call. */

import { recordDeliveries } from "./deliveries.ts"
import { recordReservations } from "./reservations.ts"

export async function recordedExamplesText(): Promise<string> {
  const recorded = { dd: await recordDeliveries(), rs: await recordReservations() }
  return `${JSON.stringify(recorded, null, 2)}\n`
}
