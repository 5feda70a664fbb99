/** The frame of every page that the service writes by itself: plain HTML that asks no other host for anything. */

export interface HtmlPage {
  /** As it is shown: escaped where it came from outside. */
  readonly title: string
  readonly style: string
  /** HTML; what came from outside is escaped. */
  readonly body: readonly string[]
  /** Runs at the end of the body; absent: the page has none. */
  readonly script?: string
}

export function htmlPage({ title, style, body, script }: HtmlPage): string {
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex">',
    `<title>${title} - Curbline</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    "<main>",
    ...body,
    "</main>",
    ...(script === undefined ? [] : [`<script>${script}</script>`]),
    "</body>",
    "</html>",
    "",
  ].join("\n")
}

/** For text, and for attributes in quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** A page that a link or a form opens is nobody else's: not kept, not framed, not told about. */
export const PRIVATE_PAGE_HEADERS = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
} as const
