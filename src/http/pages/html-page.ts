/** The HTML pages of the service itself, as answers: plain HTML in the frame of every page. */

import type { FastifyReply } from "fastify"
import { PRIVATE_PAGE_HEADERS, writtenPage } from "../../pages/html/page-frame.ts"
import { html, raw } from "../../pages/html/markup.ts"
import type { Html } from "../../pages/html/markup.ts"
import { MARK } from "../../pages/html/tokens.ts"

export interface ShownPage {
  readonly status: number
  /** Plain text. */
  readonly title: string
  readonly body: Html
  /** Stands before the page's main part; default: nothing, or the brand above a card. */
  readonly top?: Html
  /** Runs when the page has loaded, and may request its own host; default: no script. */
  readonly script?: string
  /** True when its form is answered with a redirect to another site. */
  readonly leavesSite?: true
}

export interface PageLook {
  readonly style: string
  /** True for a card under the service's name; default: a page of its own layout. */
  readonly isCard?: true
  /** Replace or extend the headers of every page. */
  readonly headers?: Readonly<Record<string, string>>
}

export function sendPage(reply: FastifyReply, shown: ShownPage, look: PageLook): FastifyReply {
  const { style, headers } = look
  const { status, title, body, top, script, leavesSite } = shown
  const { html: text, policy } = writtenPage({
    title: `${title} - Curbline`,
    style,
    body:
      look.isCard === true
        ? html`${BRAND}
            <main>${body}</main>
            ${FOOT}`
        : html`${top ?? html``}
            <main>${body}</main>`,
    hasAssets: true,
    forms: leavesSite === true ? "'self' https:" : "'self'",
    ...(script === undefined ? {} : { scripts: [{ text: script }], connects: true }),
  })
  return reply
    .code(status)
    .headers({ ...PRIVATE_PAGE_HEADERS, ...headers, "Content-Security-Policy": policy })
    .type("text/html; charset=utf-8")
    .send(text)
}

const BRAND = html`<header class="brand">${raw(MARK)} Curbline</header>`
const FOOT = html`<footer class="foot">Curbline, curbside delivery in Austin.</footer>`
