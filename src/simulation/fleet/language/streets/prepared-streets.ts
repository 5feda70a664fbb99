/**
 * Streets that were read for a profile, as GeoJSON that a map shows too: a browser runs the model without tables of tags. It is the
 * browser's `#streets`; `street-reader.ts` writes them.
 */

import type { Box } from "../../../../pages/html/map/projection.ts"
import type { StreetLine, StreetLines, StreetNet } from "../../travel/street-lines.ts"
import { textBeside } from "../beside.ts"
import type { Beside } from "../beside.ts"

export interface StreetsAsked {
  /** As the model names it. */
  readonly profile: string
  readonly beside: Beside
  readonly near: Box
}

/** At a key of `travel`. */
export interface StreetMistake {
  readonly key: "profile" | "streets"
  readonly message: string
}

interface Prepared {
  readonly prepared?: Pick<StreetNet, "closed" | "speeds" | "turns"> &
    Pick<StreetLines, "notes"> & { readonly profile: string }
  readonly features: readonly {
    readonly properties: Pick<StreetLine, "direction" | "kmh"> & {
      readonly highway?: string
      readonly name?: string
    }
    readonly id?: string
    readonly geometry: { readonly coordinates: StreetLine["positions"] }
  }[]
}

/** The streets, or a mistake of the model. */
export function streetsFor(
  name: string,
  { profile, beside, near }: StreetsAsked,
): StreetLines | StreetMistake {
  const found = textBeside(name, beside, { near, profile })
  if ("fault" in found) return { key: "streets", message: found.fault }
  return (
    preparedOf(JSON.parse(found.text), profile) ?? {
      key: "streets",
      message: `this page does not have ${name} for the profile ${profile}; run the model with curbline`,
    }
  )
}

/** A map that cannot be shown is no mistake here: the model was read before. */
export function mapFault(): null {
  return null
}

/** Null for streets that were not prepared, or for another profile. */
export function preparedOf(json: unknown, profile: string): StreetLines | null {
  const { prepared, features } = json as Prepared
  if (prepared?.profile !== profile) return null
  const { notes, turns, closed, speeds } = prepared
  const lines = features.map(
    ({ properties: { kmh, direction, highway = "", name = "" }, id = "", geometry }) => ({
      positions: geometry.coordinates,
      kmh,
      direction,
      kind: highway,
      name,
      way: id,
    }),
  )
  return { net: { lines, turns, closed, speeds }, notes }
}
