/** The mark and the name. */

import type { JSX } from "preact"
import { MARK } from "../../html/tokens.ts"

export function Mark(): JSX.Element {
  return <span class="mark-holder" aria-hidden="true" dangerouslySetInnerHTML={{ __html: MARK }} />
}
