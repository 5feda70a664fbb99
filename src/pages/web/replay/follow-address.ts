/** Further addresses of the open page. */

/** Takes the fragment of each further address of the open page, such as of a link to a moment. Returns what ends it. */
export function followAddress(take: (fragment: string) => void): () => void {
  // The page writes its own moment, perhaps before everyone has read the new one.
  const follow = ({ newURL }: HashChangeEvent): void => take(new URL(newURL).hash)
  addEventListener("hashchange", follow)
  return () => removeEventListener("hashchange", follow)
}
