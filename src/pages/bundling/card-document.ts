/**
 * The card of a delivery: one document without a request to any host. The host of the agent shows it in a frame whose policy allows inline
 * scripts and styles alone, so it has no typeface of its own, and says which of the two schemes it is shown in.
 */

import { raw } from "../html/markup.ts"
import { writtenPage } from "../html/page-frame.ts"
import { schemeColorsFor } from "../html/tokens.ts"
import type { PageBundle } from "./build.ts"

export function cardDocument({ script, style }: PageBundle): string {
  return writtenPage({
    title: "Delivery",
    style: `${style}\n${SCHEMES}`,
    body: raw('<div id="page"></div>'),
    scripts: [{ text: script, isModule: true }],
    isPlain: true,
  }).html
}

/** The card sets the attribute to what its host says. */
const SCHEMES = (["light", "dark"] as const)
  .map((scheme) => schemeColorsFor(`:root[data-theme="${scheme}"]`, scheme))
  .join("")
