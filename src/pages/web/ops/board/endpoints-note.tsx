/** Says on the board that an endpoint which gets the site's events is off because it failed too often. */

import type { JSX } from "preact"
import { Banner } from "../../design/feedback.tsx"
import { useRefresh, useResource } from "../../resource.ts"
import { readDisabledEndpoints } from "./calls.ts"
import { numberWord } from "./words.ts"

/** ms */
const REFRESH_MS = 60_000

/** Nothing while none is disabled, and while they cannot be read: the board itself says that it is cut off. */
export function EndpointsNote({ siteId }: { readonly siteId: string }): JSX.Element | null {
  const { data, reload } = useResource(() => readDisabledEndpoints(siteId), [siteId])
  useRefresh(reload, REFRESH_MS)
  if (data === null || data === 0) return null
  const query = new URLSearchParams({ state: "1", site: siteId }).toString()
  return (
    <Banner tone="wait">
      {data === 1 ? "One endpoint gets" : `${numberWord(data)} endpoints get`} no events of this site after
      too many failures. <a href={`/ops/lists/endpoints?${query}`}>Look and switch on</a>
    </Banner>
  )
}
