/** Why a request was declined, in words. */

/** An empty reason counts as none. */
export function reasonText(reason: string | null): string {
  return reason || "no reason was given"
}
