/**
 * A page as one HTML text that needs nothing else: script, style and data stand in it, and its Content-Security-Policy lets
 * it run that script and wear that style alone, and speak to nobody. The same data gives the same bytes.
 */

import { createHash } from "node:crypto"
import type { PageBundle } from "./build.ts"

export interface PageText {
  readonly title: string
  readonly bundle: PageBundle
  /** What the page reads from its element `data`, as JSON. */
  readonly data: unknown
}

export interface HtmlPage {
  readonly html: string
  /** For the header too: a page in a file has only its own element. */
  readonly policy: string
}

export function htmlPage({ title, bundle, data }: PageText): HtmlPage {
  // A closing tag inside a text would end the element that holds it.
  const script = bundle.script.replaceAll(/<\/script/gi, "<\\/script")
  const style = bundle.style.replaceAll(/<\/style/gi, "<\\/style")
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ")
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>
<script type="module">${script}</script>
</body>
</html>
`
  return { html, policy }
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
}
