/** The layout of the inspector's own pages, which work without a script, and their common head. */

import type { FastifyReply } from "fastify"
import { html } from "../../html/markup.ts"
import type { Html } from "../../html/markup.ts"
import { PRIVATE_PAGE_HEADERS } from "../../html/page-frame.ts"
import { READING_STYLE } from "../../html/styles.ts"
import { sendPage as send } from "../../http/html-page.ts"
import type { ShownPage } from "../../http/html-page.ts"
import type { SignedIn } from "../operator-sessions.ts"

/** `same-origin`: without any referrer, browsers would not send where a form comes from. */
export const PAGE_HEADERS = {
  ...PRIVATE_PAGE_HEADERS,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "same-origin",
} as const

export function sendPage(reply: FastifyReply, page: ShownPage): FastifyReply {
  return send(reply, page, { style: STYLE, headers: PAGE_HEADERS })
}

/** The signed-in operator, links to the other pages, and the sign-out button. */
export function headerOf({ environment, label, formKey }: SignedIn): Html {
  return html`<header>
    <p><strong>${environment}</strong> · signed in with the token “${label}”</p>
    <nav aria-label="Inspector"><a href="/inspect">Groups</a> <a href="/inspect/audit">Sent events</a></nav>
    <form method="post" action="/inspect/sign-out">
      <input type="hidden" name="key" value="${formKey}" />
      <button type="submit">Sign out</button>
    </form>
  </header>`
}

const STYLE = `${READING_STYLE}
header, .filters { display: flex; flex-wrap: wrap; gap: var(--s2) var(--t-xl); align-items: center; }
nav a { margin-right: var(--s4); }
label { display: inline-flex; gap: var(--s2); align-items: center; }
input[type="checkbox"] { width: 1.25rem; height: 1.25rem; }
`
