/** Values of tags as text. */

import type { Tags } from "../../../pages/html/map/file-parts.ts"

/** Letters of one case without blanks around them; null for a tag that is not there. */
export function textOf(tags: Tags, key: string): string | null {
  const value = tags[key]
  if (value === undefined || value === null) return null
  return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).trim().toLowerCase()
}
