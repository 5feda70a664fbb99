/** Names that clients give themselves, as they may be shown: nothing in them turns a line around or hides. Our choice A17. */

import { SERVICE_NAME } from "../../model/linking.ts"

/** Control, format, bidirectional and unassigned characters, and line separators. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu

/** What pages show; may be empty. */
export function shownName(clientName: string): string {
  return clientName.replace(UNSHOWN, " ").replace(/\s+/gu, " ").trim()
}

/** True for a name that a user could take for the service's own, such as "CurbIine Support" with a capital i. */
export function claimsToBeTheService(clientName: string): boolean {
  return skeletonOf(clientName).includes(skeletonOf(SERVICE_NAME))
}

/**
 * Letters and digits that look like those of the service's name, by the letter that they look like: digits, Cyrillic and Greek.
 * Marks and full-width forms are taken away before. Source: Unicode UTS #39, confusable detection, reduced to this name.
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
