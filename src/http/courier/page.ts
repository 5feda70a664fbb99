/**
 * The frame of the pages that users open from a link: plain HTML that asks no other host for anything, readable on a phone,
 * in the dark and by a screen reader. The link is the key, so nothing keeps it or tells it on.
 */

import { hash } from "node:crypto"
import type { FastifyReply } from "fastify"
import { PRIVATE_PAGE_HEADERS, htmlPage } from "../html-page.ts"
import type { HtmlPage } from "../html-page.ts"

export type Page = Omit<HtmlPage, "style"> & {
  /** Its form is answered with a redirect to another site. */
  readonly leavesSite?: true
}

interface WrittenPage {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

export function sendPage(
  reply: FastifyReply,
  { status, page }: { readonly status: number; readonly page: Page },
): FastifyReply {
  const { html, headers } = writtenPage(page)
  return reply.code(status).headers(headers).send(html)
}

function writtenPage({ title, body, script, leavesSite }: Page): WrittenPage {
  const html = htmlPage({ title, style: STYLE, body, ...(script === undefined ? {} : { script }) })
  return { html, headers: { ...HEADERS, "Content-Security-Policy": policyFor({ script, leavesSite }) } }
}

const HEADERS = {
  ...PRIVATE_PAGE_HEADERS,
  "Content-Type": "text/html; charset=utf-8",
  "X-Robots-Tag": "noindex",
}

interface Leading {
  readonly script: string | undefined
  readonly leavesSite: true | undefined
}

/**
 * The page's own style and script by their hashes, forms to its own origin, and nothing else from anywhere. Browsers hold the
 * redirect that answers a form to the same rule.
 */
function policyFor({ script, leavesSite }: Leading): string {
  return [
    "default-src 'none'",
    "base-uri 'none'",
    `form-action 'self'${leavesSite === true ? " https:" : ""}`,
    "frame-ancestors 'none'",
    `style-src ${sourceOf(STYLE)}`,
    ...(script === undefined ? [] : [`script-src ${sourceOf(script)}`, "connect-src 'self'"]),
  ].join("; ")
}

function sourceOf(text: string): string {
  return `'sha256-${hash("sha256", text, "base64")}'`
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#4a525c;--paper:#fff;--line:#5c6670;--strong:#0b5a3e;--land:#eef2ec;--water:#c9deee}
body{margin:0;font:1.0625rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
main{max-width:34rem;margin:0 auto;padding:1.5rem 1rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
h2{font-size:1.125rem;margin:1.5rem 0 .5rem}
p{margin:.5rem 0}
.soft{color:var(--soft);font-size:.9375rem}
.big{font-size:1.25rem;font-weight:600}
dl{margin:1rem 0;display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}
dt{color:var(--soft)}
dd{margin:0}
fieldset{border:2px solid var(--line);border-radius:.5rem;padding:.5rem 1rem 1rem;margin:1rem 0}
legend{font-weight:600;padding:0 .25rem}
label{display:flex;gap:.75rem;align-items:center;padding:.5rem 0}
input[type=radio]{width:1.5rem;height:1.5rem;flex:none}
button{box-sizing:border-box;width:100%;padding:.875rem;font:inherit;font-weight:600;color:#fff;background:#0b5a3e;border:2px solid #0b5a3e;border-radius:.5rem;cursor:pointer}
a{color:inherit;text-decoration:underline;text-underline-offset:.15em}
a.action{display:inline-block;padding:.5rem 0;font-weight:600}
input:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid #1a6fd4;outline-offset:2px}
.problem{padding:.75rem;border-left:4px solid #b3261e;background:#fbeae9;color:#5f1410;border-radius:.25rem}
svg.map{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:.5rem}
svg.map .land{fill:var(--land)}
svg.map .water{fill:none;stroke:var(--water);stroke-width:5}
svg.map .mark{fill:var(--soft)}
svg.map text{fill:var(--ink);font:9px system-ui,sans-serif}
svg.map .vehicle{fill:#b3261e;stroke:#fff;stroke-width:2}
@media (prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#b3bac2;--paper:#15181c;--line:#9aa3ad;--land:#20272b;--water:#27465e}
.problem{background:#3b1512;color:#ffd9d6}svg.map .vehicle{fill:#ff8a80;stroke:#15181c}}
`.trim()
