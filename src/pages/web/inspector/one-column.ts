/** Widths below which the page has one column, which shows one part at a time, and below which its head is shorter. */

import { useEffect, useState } from "preact/hooks"

/** The same widths as in `inspector.css`. */
export const ONE_COLUMN = "(max-width: 1100px)"

/** Phones: the head has only the buttons that are needed most. */
const PHONE = "(max-width: 700px)"

export function useIsOneColumn(): boolean {
  return useMatches(ONE_COLUMN)
}

export function useIsPhone(): boolean {
  return useMatches(PHONE)
}

function useMatches(condition: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(condition).matches)
  useEffect(() => {
    const query = matchMedia(condition)
    const onChange = (): void => setMatches(query.matches)
    onChange()
    query.addEventListener("change", onChange)
    return () => query.removeEventListener("change", onChange)
  }, [condition])
  return matches
}
