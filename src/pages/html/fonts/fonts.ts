/**
 * The typefaces of pages. A host serves them as files, and text is shown in a typeface of the reader's system until they have arrived. A
 * written page has Inter inside.
 */

import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** Where a host serves the files. */
export const FONT_FILES: ReadonlyMap<string, string> = new Map([
  ["/assets/inter.woff2", fileURLToPath(new URL("inter.woff2", import.meta.url))],
  [
    "/assets/jetbrains-mono.woff2",
    fileURLToPath(
      import.meta.resolve("@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2"),
    ),
  ],
])

/** For a page that a host serves. */
export const SERVED_FONTS = `
${interFrom("/assets/inter.woff2")}
@font-face { font-family: "JetBrains Mono Variable"; src: url("/assets/jetbrains-mono.woff2") format("woff2"); font-weight: 100 800; font-display: swap; }
`

let inside: string | null = null

/** For a page in one file. Cost: 55 kB of the page. */
export function fontsInside(): string {
  inside ??= interFrom(
    `data:font/woff2;base64,${readFileSync(new URL("inter.woff2", import.meta.url), "base64")}`,
  )
  return `${inside}\n`
}

function interFrom(url: string): string {
  return `@font-face { font-family: "Inter Variable"; src: url("${url}") format("woff2"); font-weight: 400 800; font-display: swap; }`
}
