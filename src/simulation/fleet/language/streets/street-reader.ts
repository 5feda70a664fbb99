/**
 * Reads the streets of a model for a profile. In a browser `prepared-streets.ts` takes its place, which reads what this program prepared: `#streets`
 * in package.json chooses between them.
 */

import { streetFileOf } from "../../../../pages/html/map/street-file.ts"
import type { StreetFile } from "../../../../pages/html/map/street-file.ts"
import { streetLinesOf } from "../../travel/street-lines.ts"
import type { StreetLines } from "../../travel/street-lines.ts"
import { textBeside } from "../beside.ts"
import { preparedOf } from "./prepared-streets.ts"
import type { StreetMistake, StreetsAsked } from "./prepared-streets.ts"
import { profileNamed } from "./profile-file.ts"

/** The streets, or a mistake of the model. */
export function streetsFor(name: string, asked: StreetsAsked): StreetLines | StreetMistake {
  const read = readFor(name, asked)
  return "lines" in read ? read.lines : read
}

function readFor(
  name: string,
  { profile: profileName, beside, near }: StreetsAsked,
): StreetMistake | { readonly lines: StreetLines; readonly file: StreetFile } {
  const found = readFile(name, { beside, near, profile: profileName })
  if ("fault" in found) return { key: "streets", message: found.fault }
  const prepared = preparedOf(found.json, profileName)
  const file = streetFileOf(found.json)
  if (typeof file === "string") return { key: "streets", message: `${name}: ${file}` }
  if (prepared !== null) return { lines: prepared, file }
  const profile = profileNamed(profileName, beside)
  if (typeof profile === "string") return { key: "profile", message: profile }
  const lines = streetLinesOf(file, profile)
  return typeof lines === "string" ? { key: "streets", message: `${name}: ${lines}` } : { lines, file }
}

/** What is wrong with streets for a map, in a sentence; null when they can be shown. */
export function mapFault(name: string, asked: Omit<StreetsAsked, "profile">): string | null {
  const found = readFile(name, { ...asked, profile: null })
  if ("fault" in found) return found.fault
  const file = streetFileOf(found.json)
  return typeof file === "string" ? `${name}: ${file}` : null
}

/** The text for a browser: the streets that the profile uses, also for its map. Null for a mistake of the model. */
export function preparedText(file: string, asked: StreetsAsked): string | null {
  const read = readFor(file, asked)
  if (!("lines" in read)) return null
  const { net, notes } = read.lines
  return JSON.stringify({
    type: "FeatureCollection",
    attribution: read.file.credit,
    prepared: { profile: asked.profile, notes, turns: net.turns, closed: net.closed, speeds: net.speeds },
    features: net.lines.map(({ positions, kmh, direction, kind, name, way }) => ({
      type: "Feature",
      id: unlessEmpty(way),
      properties: { name: unlessEmpty(name), highway: unlessEmpty(kind), kmh, direction },
      geometry: { type: "LineString", coordinates: positions },
    })),
  })
}

/** JSON leaves out what is undefined. */
function unlessEmpty(text: string): string | undefined {
  return text === "" ? undefined : text
}

function readFile(
  name: string,
  { beside, near, profile }: Omit<StreetsAsked, "profile"> & { readonly profile: string | null },
): { readonly json: unknown } | { readonly fault: string } {
  const found = textBeside(name, beside, { near, profile })
  if ("fault" in found) return found
  try {
    return { json: JSON.parse(found.text) as unknown }
  } catch {
    return { fault: `${name} is no JSON` }
  }
}
