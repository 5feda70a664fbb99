/** The frame of every page: one set of colours, and a policy that allows exactly the inline parts of the page. */

import { hash } from "node:crypto"
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { jsonElement, writtenPage } from "../../../src/pages/html/page-frame.ts"
import type { PageParts } from "../../../src/pages/html/page-frame.ts"
import { html, raw, table } from "../../../src/pages/html/markup.ts"
import { TOKENS, colorsFor } from "../../../src/pages/html/tokens.ts"

const SOURCE = join(import.meta.dirname, "../../../src")

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(?:css|tsx?|js)$/.test(name))
  .map((name) => ({ name: name.replaceAll("\\", "/"), text: readFileSync(join(SOURCE, name), "utf8") }))

describe("the look of pages", () => {
  test("has its colours in one place: no other file of the program names one", () => {
    const colors = /#(?:[0-9a-f]{6}|[0-9a-f]{3})\b(?=["';,} ])|\b(?:rgb|hsl|oklch)a?\(/gi
    const named = files
      .filter(({ text }) => /color|fill|stroke/.test(text))
      .flatMap(({ name, text }) => [...text.matchAll(colors)].map(([found]) => `${name} ${found}`))
    const elsewhere = named.filter((one) => !one.startsWith("pages/html/tokens.ts "))
    expect(elsewhere).toEqual([])
    expect(named.length).toBeGreaterThan(20)
  })

  test("asks for no colour or size that is not there", () => {
    const there = new Set([...TOKENS.matchAll(/--([\w-]+):/g)].map(([, name]) => name))
    const asked = files.flatMap(({ name, text }) =>
      [...text.matchAll(/var\(--([\w-]+)\)|css\("--([\w-]+)"\)/g)].map(
        ([, inStyle, inScript]) => [name, inStyle ?? inScript] as const,
      ),
    )
    expect(asked.filter(([, token]) => !there.has(token))).toEqual([])
    const places = new Set(asked.map(([name]) => name.replace(/\/[^/]+$/, "")))
    for (const place of [
      "pages/chart",
      "simulation/fleet/report",
      "pages/html",
      "areas/courier/http",
      "apps/inspector/http",
      "pages/web/inspector",
    ])
      expect([...places]).toContain(place)
  })

  test("has every colour in light and in dark, for a picture by itself too", () => {
    const [light = "", dark = ""] = colorsFor(".chart", ["surface", "ink"]).split("@media")
    for (const scheme of [light, dark]) expect(scheme.match(/--(?:surface|ink): #/g)).toHaveLength(2)
    expect(light).not.toBe(dark)
  })
})

describe("the frame of a page", () => {
  const parts = { title: "A & <B>", style: "p { color: red }", body: raw("<p>Hello</p>") }
  const styleIn = (page: PageParts): string => /<style>(.*)<\/style>/s.exec(writtenPage(page).html)?.[1] ?? ""
  const shaOf = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`

  test("lets in its own style and scripts by their hashes, and nothing else unless it says so", () => {
    expect(writtenPage(parts).policy).toBe(
      `default-src 'none'; style-src ${shaOf(styleIn(parts))}; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    const scripts = [{ text: "one()" }, { text: "two()", isModule: true as const }]
    const { policy } = writtenPage({ ...parts, scripts, connects: true, forms: "'self'" })
    expect(policy).toContain(`script-src ${shaOf("one()")} ${shaOf("two()")}; `)
    expect(policy).toContain("connect-src 'self'")
    expect(policy).toContain("form-action 'self'")
    const later = { script: "three()", style: "b { color: red }" }
    const opening = writtenPage({ ...parts, scripts, later })
    expect(opening.policy).toContain(`${shaOf("two()")} ${shaOf("three()")}; `)
    // The typefaces are a style of their own, which stays when the later one replaces the other.
    const styles = [...opening.html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = ""]) => style)
    expect(styles.at(-1)).toBe(parts.style)
    expect(opening.policy).toContain(`style-src ${[...styles, later.style].map(shaOf).join(" ")}; `)
    expect(writtenPage({ ...parts, hasWorker: true }).policy).toContain("; worker-src blob:; ")
    expect(opening.html).not.toContain("three()")
  })

  test("brings its policy itself when it is a file, but for who may frame it", () => {
    const { html: text, policy } = writtenPage({ ...parts, isFile: true })
    expect(text).toContain(`content="${policy.replace("; frame-ancestors 'none'", "")}"`)
    expect(writtenPage(parts).html).not.toContain("http-equiv")
  })

  test("has its typeface inside in less than 60 kB when no host serves it", () => {
    const written = writtenPage({ ...parts, isFile: true })
    expect(written.html).toMatch(/font-family: "Inter Variable"; src: url\("data:font\/woff2;base64,d09GMg/)
    expect(written.html.length).toBeLessThan(60_000)
    const served = writtenPage({ ...parts, hasAssets: true })
    expect(served.html).toContain('url("/assets/inter.woff2")')
    expect(served.html.length).toBeLessThan(2_000)
    expect(`${written.policy} ${served.policy}`).not.toMatch(/https?:|\*/)
  })

  test("is closed by nothing that stands in it", () => {
    const script = 'say("</script><script>bad()</script>")'
    const { html: text, policy } = writtenPage({
      ...parts,
      style: "</style><p>",
      scripts: [{ text: script }],
    })
    expect(text.match(/<\/style/g)).toHaveLength(1)
    expect(text.match(/<script/g)).toHaveLength(2)
    expect(text.match(/<\/script/g)).toHaveLength(1)
    const [, told = ""] = /<script>(.*)<\/script>/.exec(text) ?? []
    expect(policy).toContain(shaOf(told))
    expect(text).toContain("<title>A &#38; &#60;B&#62;</title>")
    expect(jsonElement("data", { text: "</script>" }).html.match(/<\/script/g)).toHaveLength(1)
  })
})

test("whatever comes from outside is escaped, in text, attributes and tables", () => {
  const hostile = `<img src="x" onerror='y'>`
  const shown = html`<p title="${hostile}">${hostile}</p>
    ${table(hostile, [hostile], [[hostile, html`<b>${hostile}</b>`]])}`
  expect(shown.html).not.toContain("<img")
  expect(shown.html).not.toContain("onerror='y'")
  expect(shown.html).toContain("<b>&#60;img")
})
