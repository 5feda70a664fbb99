/** Phone numbers as people type them. Source: courier connector contract, section 5, phone page. */

/** E.164, or null. Spaces, dots, dashes and brackets are ignored; ten digits without `+` are a number of the US. */
export function phoneNumberIn(typed: string): string | null {
  const bare = typed.replace(/[\s.()\u2010-\u2015-]/gu, "")
  const written = bare.startsWith("+") ? bare : /^\d{10}$/.test(bare) ? `+1${bare}` : `+${bare}`
  return /^\+[1-9]\d{6,14}$/.test(written) ? written : null
}

/** The only part of a number that pages and logs show. */
export function lastFourOf(phone: string): string {
  return phone.slice(-4)
}
