/** Phone numbers and codes as people type or paste them. Source: courier connector contract, section 5, phone page. */

/**
 * E.164, or null. Spaces, dots, dashes and brackets are ignored, as is `tel:`; ten digits without `+` are a number of the
 * US.
 */
export function phoneNumberIn(typed: string): string | null {
  const bare = inAscii(typed).replace(/^\s*tel:|[\s.()\u2010-\u2015\u2212-]/giu, "")
  const written = bare.startsWith("+") ? bare : /^\d{10}$/.test(bare) ? `+1${bare}` : `+${bare}`
  return /^\+[1-9]\d{6,14}$/.test(written) ? written : null
}

/**
 * Without characters that a reader cannot see, such as the bidi marks that address books put around a number; digits and
 * signs of full width and Arabic digits become those of ASCII.
 */
export function inAscii(typed: string): string {
  return typed
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[\uFF01-\uFF5E]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) - 0xfe_e0))
    .replace(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String((digit.codePointAt(0) ?? 0) % 16))
}

/** The only part of a number that pages and logs show. */
export function lastFourOf(phone: string): string {
  return phone.slice(-4)
}
