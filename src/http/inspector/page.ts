/** The frame of the inspector's own pages: plain HTML that works without a script and asks no other host for anything. */

import { hash } from "node:crypto"
import type { FastifyReply } from "fastify"
import { PRIVATE_PAGE_HEADERS, escaped, htmlPage } from "../html-page.ts"
import type { SignedIn } from "../../services/inspection/operator-sessions.ts"

export interface ShownPage {
  readonly status: number
  readonly title: string
  readonly body: readonly string[]
}

/** `same-origin`: with no referrer at all, browsers would not say where a form comes from. */
export const PAGE_HEADERS = {
  ...PRIVATE_PAGE_HEADERS,
  "Content-Type": "text/html; charset=utf-8",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "same-origin",
  "X-Robots-Tag": "noindex",
} as const

export function sendPage(reply: FastifyReply, { status, title, body }: ShownPage): FastifyReply {
  const html = htmlPage({ title: escaped(title), style: STYLE, body })
  return reply.code(status).headers(PAGE_HEADERS).header("Content-Security-Policy", POLICY).send(html)
}

/** Who is signed in, where else to go, and the way out. */
export function headerOf({ environment, label, formKey }: SignedIn): readonly string[] {
  return [
    "<header>",
    `<p><strong>${environment}</strong> · signed in with the token “${escaped(label)}”</p>`,
    '<nav aria-label="Inspector"><a href="/inspect">Groups</a> <a href="/inspect/audit">Sent events</a></nav>',
    '<form method="post" action="/inspect/sign-out">',
    `<input type="hidden" name="key" value="${escaped(formKey)}">`,
    '<button type="submit">Sign out</button>',
    "</form>",
    "</header>",
  ]
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#4a525c;--paper:#fff;--raised:#f1f3f5;--line:#5c6670;--accent:#0a4fa3;--bad:#9c1c14}
body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
main{max-width:90rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
header,.filters{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center}
header p{margin:0}
h1{font-size:1.375rem;line-height:1.25;margin:1rem 0}
a{color:var(--accent);text-underline-offset:.15em}
nav a{margin-right:1rem}
label{display:inline-flex;gap:.375rem;align-items:center}
input,select,button{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:.25rem;padding:.375rem .5rem;max-width:100%;box-sizing:border-box}
input[type=checkbox]{width:1.25rem;height:1.25rem}
button{cursor:pointer;background:var(--raised)}
.table{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;overflow-wrap:normal;padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line)}
time{white-space:nowrap}
td ul{margin:0;padding:0;list-style:none}
.soft{color:var(--soft)}
.bad{color:var(--bad);font-weight:600}
.problem{padding:.75rem;border-left:4px solid var(--bad);background:var(--raised)}
input:focus-visible,button:focus-visible,select:focus-visible,a:focus-visible,.table:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
@media (prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#b3bac2;--paper:#15181c;--raised:#22272d;--line:#9aa3ad;--accent:#8ab8ff;--bad:#ff9b91}}
`.trim()

const POLICY = [
  "default-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  `style-src 'sha256-${hash("sha256", STYLE, "base64")}'`,
].join("; ")
