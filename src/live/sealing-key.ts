/** The keys that derive from the service's secret: what rows are sealed with, and what digests are compared by. */

export function sealingKeyOf(secret: string): string {
  return `webhook secrets ${secret}`
}
