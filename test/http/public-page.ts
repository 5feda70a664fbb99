/** What every page for the public answers with. */

import { expect } from "vitest"

/** Of `sealOf`: nothing is loaded from elsewhere, and nothing of the page or its link is kept or passed on. */
export const SEALED = {
  "content-security-policy": expect.stringMatching(
    /^(?=.*default-src 'none')(?=.*frame-ancestors 'none')(?!.*(unsafe|https?:|\*))/,
  ) as string,
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  "set-cookie": null,
}

export function sealOf(headers: Headers): object {
  return Object.fromEntries(Object.keys(SEALED).map((name) => [name, headers.get(name)]))
}

/** The page of a fault of ours, without its secret text. */
export const FAULT_PAGE = {
  status: 500,
  html: expect.stringMatching(/^(?!.*secret).*Something went wrong/s) as string,
}
