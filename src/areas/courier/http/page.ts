/**
 * The layout of the pages that users open from a link: for phones, dark mode and screen readers. The link grants
 * access, so the page is not cached and sends no referrer.
 */

import type { FastifyReply } from "fastify"
import { raw } from "../../../html/markup.ts"
import { PHONE_STYLE } from "../../../html/styles.ts"
import { sendPage as send } from "../../../http/html-page.ts"
import type { ShownPage } from "../../../http/html-page.ts"

export type Page = Pick<ShownPage, "leavesSite" | "script" | "title"> & {
  /** HTML; data from outside is escaped. */
  readonly body: readonly string[]
}

export function sendPage(
  reply: FastifyReply,
  { status, page }: { readonly status: number; readonly page: Page },
): FastifyReply {
  return send(reply, { ...page, status, body: raw(page.body.join("\n")) }, { style: STYLE })
}

const STYLE = `${PHONE_STYLE}
dl { margin: var(--space) 0; display: grid; grid-template-columns: auto 1fr; gap: 0.25rem var(--space); }
dt { color: var(--quiet); }
dd { margin: 0; }
fieldset { border: 2px solid var(--edge); border-radius: var(--corner); padding: var(--gap) var(--space) var(--space); margin: var(--space) 0; }
legend { font-weight: 600; padding: 0 0.25rem; }
label { display: flex; gap: 0.75rem; align-items: center; padding: var(--gap) 0; }
input[type="radio"] { width: 1.5rem; height: 1.5rem; flex: none; }
a.action { display: inline-block; padding: var(--gap) 0; font-weight: 600; }
svg.map { display: block; width: 100%; height: auto; border: 1px solid var(--edge); border-radius: var(--corner); }
svg.map .land { fill: var(--land); }
svg.map .water { fill: none; stroke: var(--water); stroke-width: 5; }
svg.map .mark { fill: var(--quiet); }
svg.map text { fill: var(--ink); font: 9px var(--sans); }
svg.map .vehicle { fill: var(--bad); stroke: var(--paper); stroke-width: 2; }
`
