/** Values of tags as text. */

import type { Tags } from "../../../pages/html/map/file-parts.ts"

/** Letters of one case without blanks around them; null for a tag that is not there. */
export function textOf(tags: Tags, key: string): string | null {
  const value = tags[key]
  if (value === undefined || value === null) return null
  return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).trim().toLowerCase()
}

/** The values of a list such as `agricultural;forestry`; none for a tag that is not there. */
export function listOf(tags: Tags, key: string): readonly string[] {
  return (textOf(tags, key) ?? "")
    .split(";")
    .map((one) => one.trim())
    .filter((one) => one !== "")
}
