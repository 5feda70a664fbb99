/** The replacement of personal data at the end of its retention period. */

/** Replaces a name, an address or a free text. */
export const BLANK_TEXT = "removed"
export const BLANK_PHONE = "+10000000000"
