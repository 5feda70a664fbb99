/** The address of a page that keeps its place in the fragment. */

/** The last fragment that the page has read or written; null before the first use. */
let known: string | null = null

function begin(): void {
  if (known !== null) return
  known = location.hash
  addEventListener("hashchange", ({ newURL }) => {
    known = new URL(newURL).hash
  })
}

/**
 * Writes the page's own place into the address. An address that the page has not yet read stays: of a pressed link, or
 * of a report that is about to take the page's place.
 */
export function writeAddress(fragment: string): void {
  begin()
  if (location.hash !== known) return
  history.replaceState(null, "", fragment)
  known = location.hash
}

/** Takes the fragment of each further address of the open page, such as of a link to a moment. Returns what ends it. */
export function followAddress(take: (fragment: string) => void): () => void {
  begin()
  // The page writes its own moment, perhaps before everyone has read the new one.
  const follow = ({ newURL }: HashChangeEvent): void => take(new URL(newURL).hash)
  addEventListener("hashchange", follow)
  return () => removeEventListener("hashchange", follow)
}
