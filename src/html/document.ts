/**
 * The frame of every page: one HTML text that asks no other host for anything, and the policy that holds it to that. Styles and
 * scripts stand in the page and are named by their hashes. The same parts give the same bytes.
 */

import { hash } from "node:crypto"
import { escaped, raw } from "./markup.ts"
import type { Html } from "./markup.ts"

export interface PageParts {
  /** Plain text. */
  readonly title: string
  readonly style: string
  readonly body: Html
  /** They run in this order when the body is there. */
  readonly scripts?: readonly PageScript[]
  /** What it may ask of its own host; absent: nothing. */
  readonly connects?: true
  /** Where its forms may lead; absent: nowhere. Browsers hold the redirect that answers a form to the same rule. */
  readonly forms?: "'self'" | "'self' https:"
  /** A page that is opened from a file brings its policy itself. */
  readonly isFile?: true
}

export interface PageScript {
  readonly text: string
  readonly isModule?: true
}

export interface WrittenPage {
  readonly html: string
  /** Content-Security-Policy, for the header. */
  readonly policy: string
}

export function writtenPage(parts: PageParts): WrittenPage {
  const style = inElement(parts.style, "style")
  const scripts = (parts.scripts ?? []).map(({ text, ...same }) => ({
    ...same,
    text: inElement(text, "script"),
  }))
  const policy = policyOf(parts, style, scripts)
  const html = [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    ...(parts.isFile === true ? [`<meta http-equiv="Content-Security-Policy" content="${policy}">`] : []),
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    `<title>${escaped(parts.title)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    parts.body.html,
    ...scripts.map(
      ({ text, isModule }) => `<script${isModule === true ? ' type="module"' : ""}>${text}</script>`,
    ),
    "</body>",
    "</html>",
    "",
  ].join("\n")
  // A page cannot say of itself who may frame it.
  return { html, policy: `${policy}; frame-ancestors 'none'` }
}

function policyOf({ connects, forms }: PageParts, style: string, scripts: readonly PageScript[]): string {
  return [
    "default-src 'none'",
    ...(scripts.length === 0 ? [] : [`script-src ${scripts.map(({ text }) => sourceOf(text)).join(" ")}`]),
    `style-src ${sourceOf(style)}`,
    ...(connects === true ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    `form-action ${forms ?? "'none'"}`,
  ].join("; ")
}

function sourceOf(text: string): string {
  return `'sha256-${hash("sha256", text, "base64")}'`
}

/** An element of text ends at its first end tag, wherever that stands. */
function inElement(text: string, name: "script" | "style"): string {
  return text.replaceAll(new RegExp(`</(?=${name})`, "gi"), String.raw`<\/`)
}

/** JSON that a script of the page reads: nothing in it can end the element. */
export function jsonElement(id: string, value: unknown): Html {
  return raw(
    `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`,
  )
}

/** Our pages are not cached, not framed, and not sent as referrers. */
export const PRIVATE_PAGE_HEADERS = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "X-Robots-Tag": "noindex",
} as const
