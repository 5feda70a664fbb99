/** The keys that are derived from the service's secret: one seals rows, one keys the digests that are compared. */

export function sealingKeyOf(secret: string): string {
  return `webhook secrets ${secret}`
}
