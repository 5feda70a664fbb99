/** A row that changed is tinted for a moment. */

import { useEffect, useRef, useState } from "preact/hooks"

/** ms */
const TINT_MS = 600

/** ` changed` for a moment after the revision has changed, otherwise empty. */
export function useChanged(revision: number): string {
  const known = useRef(revision)
  const [isNew, setNew] = useState(false)
  useEffect(() => {
    if (known.current === revision) return
    known.current = revision
    setNew(true)
    const timer = window.setTimeout(() => setNew(false), TINT_MS)
    return () => window.clearTimeout(timer)
  }, [revision])
  return isNew ? " changed" : ""
}
