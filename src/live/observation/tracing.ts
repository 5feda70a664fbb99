/** Where spans are sent, by the configuration. */

import type { Tracing } from "../../engine/services/tracing.ts"

/** Null without a collector; OpenTelemetry is then not even loaded. */
export async function tracingTo(endpoint: string | null): Promise<Tracing | null> {
  if (endpoint === null) return null
  const { exportSpans } = await import("./span-export.ts")
  return exportSpans(endpoint)
}
