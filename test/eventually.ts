/** Waits until a check holds. The bound is against hanging, far above what a busy machine takes: no test asserts a speed. */

import { vi } from "vitest"

const EVENTUALLY_MS_MAX = 400_000

/** Checks again and again; fails with the last error of the check. */
export function eventually<T>(check: () => Promise<T> | T): Promise<T> {
  return vi.waitFor(check, { timeout: EVENTUALLY_MS_MAX, interval: 20 })
}
