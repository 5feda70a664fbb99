/** Whole numbers of options. */

import { UsageError } from "./usage-error.ts"

/** Throws UsageError, with the flag, for any other text. */
export function wholeOf(
  flag: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new UsageError(`${flag} takes a whole number from ${min} to ${max}, not "${text}"`)
}
