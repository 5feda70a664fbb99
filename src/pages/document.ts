/**
 * A page as one HTML text that needs nothing else: script, style and data stand in it, and its Content-Security-Policy lets
 * it run that script and wear that style alone, and speak to nobody. The same data gives the same bytes.
 */

import { createHash } from "node:crypto"
import type { PackedRecord } from "../inspection/packed.ts"
import type { PageBundle } from "./build.ts"

export interface PageText {
  readonly title: string
  readonly bundle: PageBundle
  /** What the page reads from its element `data`, as JSON; its compressed texts have elements of their own. */
  readonly data: PackedRecord
  /** It may ask its own host for more; absent: nobody for anything. */
  readonly asksOwnHost?: true
}

export interface HtmlPage {
  readonly html: string
  /** For the header too: a page in a file has only its own element. */
  readonly policy: string
}

export function htmlPage({ title, bundle, data, asksOwnHost }: PageText): HtmlPage {
  // A closing tag inside a text would end the element that holds it.
  const script = bundle.script.replaceAll(/<\/script/gi, "<\\/script")
  const style = bundle.style.replaceAll(/<\/style/gi, "<\\/style")
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    ...(asksOwnHost === true ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ")
  const { record, texts } = takenApart(data)
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
<script type="application/json" id="data">${JSON.stringify(record).replaceAll("<", "\\u003c")}</script>
${texts.map((text, number) => `<script type="text/plain" id="${idOf(number)}">${text}</script>\n`).join("")}<script type="module">${script}</script>
</body>
</html>
`
  return { html, policy }
}

/**
 * A long record's texts are most of the page. In elements of their own they lie where the parser put them, and only those that
 * somebody looks at are ever read; inside the JSON all of them would be in memory two and three times.
 */
function takenApart(data: PackedRecord): {
  readonly record: PackedRecord
  readonly texts: readonly string[]
} {
  const texts: string[] = []
  const put = (text: string): string => idOf(texts.push(text) - 1)
  const runs = data.runs.map((run) => ({
    ...run,
    index: run.index === "" ? "" : put(run.index),
    blocks: run.blocks.map(put),
  }))
  return { record: { ...data, runs }, texts }
}

function idOf(text: number): string {
  return `text-${text}`
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
}
