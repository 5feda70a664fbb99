/**
 * Places on the map. Rows and requests contain them; machines, events and facts contain only ids, distances and
 * durations.
 */

/** WGS 84 degrees. */
export type Place = {
  readonly latitude: number
  readonly longitude: number
}

/** Rings of [longitude, latitude], the outer one first, each closed. Source: RFC 7946 §3.1.6. */
export type Polygon = readonly (readonly (readonly [longitude: number, latitude: number])[])[]
