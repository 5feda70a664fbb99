/** Time zones by name. */

/** True for a region of the IANA data base, spelled exactly. Fixed offsets such as `+05:00` are not regions. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)*$/.test(name)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions()
    return timeZone === name || (timeZone.toLowerCase() !== name.toLowerCase() && isSpelledAsLink(name))
  } catch {
    return false
  }
}

/**
 * Whether a link to another zone, such as `US/Eastern`, is spelled as the data base spells its names. Intl ignores case and does not
 * list links; other programs that read the name do not find it in another case.
 */
function isSpelledAsLink(name: string): boolean {
  return name.split("/").every((part) => /^[A-Z]/.test(part) && !/[A-Z]{5}/.test(part))
}
