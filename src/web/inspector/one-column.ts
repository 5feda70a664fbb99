/** Below this width the page has one column, which shows one part at a time. */

import { useEffect, useState } from "preact/hooks"

/** The same width as in `inspector.css`. */
export const ONE_COLUMN = "(max-width: 1100px)"

export function useIsOneColumn(): boolean {
  const [isOne, setIsOne] = useState(() => matchMedia(ONE_COLUMN).matches)
  useEffect(() => {
    const query = matchMedia(ONE_COLUMN)
    const onChange = (): void => setIsOne(query.matches)
    onChange()
    query.addEventListener("change", onChange)
    return () => query.removeEventListener("change", onChange)
  }, [])
  return isOne
}
