/** Names that clients give themselves, as they may be shown: nothing in them turns a line around or hides. Our choice A17. */

/** Control, format, bidirectional and unassigned characters, and line separators. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu

/** What pages show; may be empty. */
export function shownName(clientName: string): string {
  return clientName.replace(UNSHOWN, " ").replace(/\s+/gu, " ").trim()
}
