/** The sites of this environment, as every page of operations reads them. */

import { api, everyRow } from "./api.ts"
import type { Schemas } from "./api.ts"

export type Site = Schemas["Site"]

export function readSites(): Promise<readonly Site[]> {
  return everyRow(
    (query) => api.GET("/internal/v1/sites", { params: { query } }),
    // The client's types make a list of every pair, such as a position.
    ({ sites }) => sites as readonly Site[],
  )
}
