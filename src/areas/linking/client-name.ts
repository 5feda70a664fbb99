/**
 * Names that clients give themselves, made safe to show: no characters that reverse text or are invisible. Our choice
 * A17.
 */

import { SERVICE_NAME } from "../../model/linking.ts"

/** Control, format, bidirectional and unassigned characters, and line separators. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu

/** The name for pages; may be empty. */
export function shownName(clientName: string): string {
  return clientName.replace(UNSHOWN, " ").replace(/\s+/gu, " ").trim()
}

/** True for a name that users could confuse with the service's own, such as "CurbIine Support" with a capital i. */
export function claimsToBeTheService(clientName: string): boolean {
  return skeletonOf(clientName).includes(skeletonOf(SERVICE_NAME))
}

/**
 * Letters and digits that look like those of the service's name, by the letter that they resemble: digits, Cyrillic and
 * Greek. Marks and full-width forms are removed before. Source: Unicode UTS #39, confusable detection, reduced to this
 * name.
 */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  "1": "l",
  "!": "l",
  "|": "l",
  i: "l",
  ı: "l",
  і: "l",
  ӏ: "l",
  ι: "l",
  "3": "e",
  е: "e",
  ε: "e",
  "6": "b",
  "8": "b",
  β: "b",
  в: "b",
  ь: "b",
  с: "c",
  ϲ: "c",
  г: "r",
  ս: "u",
  υ: "u",
  п: "n",
  ո: "n",
  η: "n",
}

function skeletonOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
  return [...plain]
    .map((character) => LOOKS_LIKE[character] ?? character)
    .join("")
    .replace(/[^\p{L}\p{N}]/gu, "")
}
