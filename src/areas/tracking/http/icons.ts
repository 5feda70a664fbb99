/** Icons of Lucide (ISC), as `pages/web/design/icon.tsx` draws them. Decoration: the words beside them say the same. */

import { raw } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"

export const LOCK_OPEN = icon(
  '<rect width="18" height="11" x="3" y="11" rx="2" ry="2" /><path d="M7 11V7a5 5 0 0 1 9.9-1" />',
)
export const CIRCLE_CHECK = icon('<circle cx="12" cy="12" r="10" /><path d="m9 12 2 2 4-4" />')
export const CIRCLE_ALERT = icon(
  '<circle cx="12" cy="12" r="10" /><line x1="12" x2="12" y1="8" y2="12" /><line x1="12" x2="12.01" y1="16" y2="16" />',
)
export const DOWNLOAD = icon(
  '<path d="M12 15V3" /><path d="M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4" /><path d="m7 10 5 5 5-5" />',
)

function icon(paths: string): Html {
  return raw(
    `<svg class="icon" width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`,
  )
}
