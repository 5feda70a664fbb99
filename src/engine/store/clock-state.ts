/** The state of an organization's clock, which several statements read beside their rows: as one text. */

import { sql } from "drizzle-orm"
import type { SQL, SQLWrapper } from "drizzle-orm"
import type { ClockState } from "../services/organization-clock.ts"

/** For the columns of `sandbox_clocks` under the name `c`. */
export const CLOCK_TEXT = `c.organization_id || ' ' || c.version || ' ' || c.offset_ms || ' ' ||
  coalesce(c.stands_at_ms::text, '-') || ' ' || coalesce(c.move_id, '-')`

/** The state of the clock of this organization; null when it has real time. */
export function clockText(organizationId: SQLWrapper): SQL<string | null> {
  return sql<string | null>`(
    select ${sql.raw(CLOCK_TEXT)} from sandbox_clocks c where c.organization_id = ${organizationId}
  )`
}

/** Reads `CLOCK_TEXT`. */
export function clockStateIn(text: unknown): ClockState | null {
  if (typeof text !== "string") return null
  const [organizationId = "", version, offsetMs, standsAtMs, moveId = "-"] = text.split(" ")
  return {
    organizationId,
    version: Number(version),
    offsetMs: Number(offsetMs),
    standsAtMs: standsAtMs === "-" ? null : Number(standsAtMs),
    moveId: moveId === "-" ? null : moveId,
  }
}
