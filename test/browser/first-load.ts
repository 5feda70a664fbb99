/**
 * What a page needs from its host for its first load, in bytes as they are sent: its HTML, its styles, and its scripts with all that they
 * import. Asked without a browser, and compressed with gzip: a browser that takes Brotli gets less.
 */

import { expect } from "vitest"
import { KEPT_BODY_COMPRESSED_BYTES_MIN } from "../../src/model/values/limits.ts"

export interface FirstLoad {
  readonly html: string
  /** The part of the page that is shown; empty where its script shows it alone. */
  readonly part: string
  /** What has to arrive until the frame is painted. */
  readonly paintBytes: number
  readonly scriptBytes: number
  readonly scripts: readonly string[]
}

const KILOBYTE = 1000
/** At 400 kbit/s each of them takes 0.02 s. */
const PAINT_BYTES_MAX = 32 * KILOBYTE
const SCRIPT_BYTES_MAX = 150 * KILOBYTE

export async function firstLoad(url: string, headers: Record<string, string> = {}): Promise<FirstLoad> {
  const page = await sent(url, { accept: "text/html", ...headers })
  const html = page.text
  const linked = (pattern: RegExp): string[] => [...html.matchAll(pattern)].map(([, path = ""]) => path)
  const asked = linked(/<(?:script type="module" src|link rel="modulepreload" href)="([^"]+)"/g)
  const styles = await Promise.all(
    linked(/<link rel="stylesheet" href="([^"]+)"/g).map((path) => file(url, path)),
  )
  const scripts = await Promise.all(asked.map((path) => file(url, path)))
  for (const { text } of scripts) {
    // What a script imports is asked for with the page: later, it would cost a round trip more.
    const imported = [...text.matchAll(/(?:from|import)\s*["`]\.\/([\w.-]+)["`]/g)].map(
      ([, name]) => `/assets/${name}`,
    )
    expect(asked).toEqual(expect.arrayContaining(imported))
  }
  for (const { text } of styles) {
    const faces = text.match(/@font-face/g) ?? []
    expect(text.match(/font-display: ?swap/g)).toHaveLength(faces.length)
  }
  const part = /data-part="([^"]+)"/.exec(html)?.[1] ?? ""
  // The script knows the part; without it, the page would say that it does not exist.
  expect(part === "" || scripts[0]?.text.includes(part), part).toBe(true)
  return {
    html,
    part,
    paintBytes: sum([page, ...styles]),
    scriptBytes: sum(scripts),
    scripts: asked,
  }
}

/** Fails when the page is too large for a slow line, or shows nothing before its scripts. */
export function checkFirstLoad(name: string, { html, paintBytes, scriptBytes }: FirstLoad): void {
  expect(html, name).toMatch(/<h1[^>]*>\s*\S/)
  expect(html, name).not.toMatch(/<link[^>]* as="font"|<script(?![^>]* type=")[^>]* src=/)
  expect(paintBytes, `${name}: bytes until its frame`).toBeLessThan(PAINT_BYTES_MAX)
  expect(scriptBytes, `${name}: bytes of script`).toBeLessThan(SCRIPT_BYTES_MAX)
}

interface Sent {
  readonly text: string
  readonly bytes: number
}

/** Every file of a page is sent compressed, unless it is too small for that. */
async function file(page: string, path: string): Promise<Sent> {
  const answer = await sent(new URL(path, page).href, {})
  if (answer.text.length >= KEPT_BODY_COMPRESSED_BYTES_MIN) expect(answer.form, path).toBe("gzip")
  return answer
}

async function sent(
  url: string,
  headers: Record<string, string>,
): Promise<Sent & { readonly form: string | null }> {
  const answer = await fetch(url, { headers: { ...headers, "accept-encoding": "gzip" }, redirect: "manual" })
  expect([url, answer.status]).toEqual([url, 200])
  return {
    text: await answer.text(),
    bytes: Number(answer.headers.get("content-length")),
    form: answer.headers.get("content-encoding"),
  }
}

function sum(all: readonly Sent[]): number {
  return all.reduce((bytes, one) => bytes + one.bytes, 0)
}
