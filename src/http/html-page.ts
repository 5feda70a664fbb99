/** The HTML pages of the service itself, as answers: plain HTML in the frame of every page. */

import type { FastifyReply } from "fastify"
import { PRIVATE_PAGE_HEADERS, writtenPage } from "../html/page-frame.ts"
import { html } from "../html/markup.ts"
import type { Html } from "../html/markup.ts"

export interface ShownPage {
  readonly status: number
  /** Plain text. */
  readonly title: string
  readonly body: Html
  /** Runs when the page has loaded, and may request its own host; default: no script. */
  readonly script?: string
  /** True when its form is answered with a redirect to another site. */
  readonly leavesSite?: true
}

export interface PageLook {
  readonly style: string
  /** Replace or extend the headers of every page. */
  readonly headers?: Readonly<Record<string, string>>
}

export function sendPage(reply: FastifyReply, shown: ShownPage, { style, headers }: PageLook): FastifyReply {
  const { status, title, body, script, leavesSite } = shown
  const { html: text, policy } = writtenPage({
    title: `${title} - Curbline`,
    style,
    body: html`<main>${body}</main>`,
    forms: leavesSite === true ? "'self' https:" : "'self'",
    ...(script === undefined ? {} : { scripts: [{ text: script }], connects: true }),
  })
  return reply
    .code(status)
    .headers({ ...PRIVATE_PAGE_HEADERS, ...headers, "Content-Security-Policy": policy })
    .type("text/html; charset=utf-8")
    .send(text)
}
