/** Reads what a drawer shows again when the board says that it changed. */

import { useEffect, useRef } from "preact/hooks"
import { useRefresh } from "../../resource.ts"
import type { Resource } from "../../resource.ts"

/** ms until a read that failed is tried again: the board may not change for long */
const AGAIN_MS = 4_000

/** The resource makes the first read itself. A change during that read needs another read. */
export function useRevision(resources: readonly Resource<unknown>[], revision: number | null): void {
  const known = useRef(revision)
  const reload = async (): Promise<void> => {
    await Promise.all(resources.map((resource) => resource.reload()))
  }
  useEffect(() => {
    if (known.current === revision) return
    known.current = revision
    void reload()
  }, [revision])
  const hasFailed = resources.some(({ fault }) => fault !== null)
  useRefresh(reload, hasFailed ? AGAIN_MS : null)
}
