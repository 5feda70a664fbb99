/**
 * The layout of the pages that users open from a link: for phones, dark mode and screen readers. The link grants
 * access, so the page is not cached and sends no referrer.
 */

import type { FastifyReply } from "fastify"
import { raw } from "../../../pages/html/markup.ts"
import { CARD_STYLE } from "../../../pages/html/styles.ts"
import { sendPage as send } from "../../../http/pages/html-page.ts"
import type { ShownPage } from "../../../http/pages/html-page.ts"

export type Page = Pick<ShownPage, "leavesSite" | "title"> & {
  /** HTML; data from outside is escaped. */
  readonly body: readonly string[]
}

export function sendPage(
  reply: FastifyReply,
  { status, page }: { readonly status: number; readonly page: Page },
): FastifyReply {
  return send(reply, { ...page, status, body: raw(page.body.join("\n")) }, { style: STYLE, isCard: true })
}

const STYLE = `${CARD_STYLE}
h1 .label { display: block; font-size: var(--t-sm); font-weight: 500; letter-spacing: 0; }
h1 .big { font-weight: 650; }
a.button { display: flex; align-items: center; justify-content: center; min-height: 48px; margin-top: var(--s5); border-radius: var(--r1); font-weight: 600; text-decoration: none; background: var(--accent); color: var(--on-accent); }
a.button:hover { background: color-mix(in srgb, var(--accent) 88%, var(--ink)); }
`
