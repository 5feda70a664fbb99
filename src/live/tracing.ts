/** Where spans go, as the configuration says. */

import type { Tracing } from "../services/tracing.ts"

/** Null where no collector is set; OpenTelemetry is not even loaded then. */
export async function tracingTo(endpoint: string | null): Promise<Tracing | null> {
  if (endpoint === null) return null
  const { exportSpans } = await import("./span-export.ts")
  return exportSpans(endpoint)
}
