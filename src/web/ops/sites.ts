/** The sites of this environment, as every page of operations reads them. */

import { read } from "./api.ts"

export interface Site {
  readonly site_id: string
  readonly name: string
  readonly timezone: string | null
  readonly organization_id: string | null
  readonly fleet_id: string | null
  readonly is_active: boolean
  /** True when it can quote deliveries. */
  readonly is_configured: boolean
  readonly address: {
    readonly street: string
    readonly city: string
    readonly state: string
    readonly zip: string
  } | null
  readonly latitude: number | null
  readonly longitude: number | null
  /** Rings of longitude and latitude. */
  readonly area: readonly (readonly (readonly [number, number])[])[] | null
  readonly delivery_price_cents: number | null
  readonly ready_ahead_minutes: number
}

interface SitesPage {
  readonly sites: readonly Site[]
  readonly next_cursor: string | null
}

/** Every page of the list. */
export async function readSites(): Promise<readonly Site[]> {
  const found: Site[] = []
  let cursor: string | null = null
  do {
    const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`
    const page: SitesPage = await read<SitesPage>(`/internal/v1/sites?limit=100${after}`)
    found.push(...page.sites)
    cursor = page.next_cursor
  } while (cursor !== null)
  return found
}
