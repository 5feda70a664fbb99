/**
 * The frame of every page: one HTML text without requests to other hosts, and a policy that enforces this. Styles and
 * scripts are inline and listed in the policy by their hashes. The same parts give the same bytes.
 */

import { hash } from "node:crypto"
import { escaped, raw } from "./markup.ts"
import type { Html } from "./markup.ts"
import { SERVED_FONTS, fontsInside } from "./fonts/fonts.ts"

export interface PageParts {
  /** Plain text. */
  readonly title: string
  readonly style: string
  readonly body: Html
  /** Run in this order when the body has loaded. */
  readonly scripts?: readonly PageScript[]
  /** A script and a style that its own scripts may put into the page, exactly so. */
  readonly later?: { readonly script: string; readonly style: string }
  /** True when it may send requests to its own host; by default it sends none. */
  readonly connects?: true
  /** Targets of its forms; default: none. Browsers apply the same rule to the redirect that answers a form. */
  readonly forms?: "'self'" | "'self' https:"
  /** True for a page that is opened from a file, which contains its policy. */
  readonly isFile?: true
  /** True when its scripts start workers from texts of the page. */
  readonly hasWorker?: true
  /** True when its host serves `/assets`: the typefaces and the mark in the browser's tab. Else the page has its typeface inside. */
  readonly hasAssets?: true
  /** True for a page whose frame forbids typefaces: it is read in one of the reader's system. */
  readonly isPlain?: true
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
  const fonts = parts.isPlain === true ? "" : parts.hasAssets === true ? SERVED_FONTS : fontsInside()
  // Typefaces stay when a script puts another style in place of the page's own.
  const texts = parts.later === undefined ? [`${fonts}${parts.style}`] : [fonts, parts.style]
  const styles = texts.map((text) => inElement(text, "style"))
  const scripts = (parts.scripts ?? []).map(({ text, ...same }) => ({
    ...same,
    text: inElement(text, "script"),
  }))
  const policy = policyOf(parts, styles, scripts)
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
    ...(parts.hasAssets === true ? [FAVICON_LINK] : []),
    ...styles.map((style) => `<style>${style}</style>`),
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
  // A page's own policy cannot say who may frame it; only the header can.
  return { html, policy: `${policy}; frame-ancestors 'none'` }
}

/** The mark in the browser's tab. */
const FAVICON_LINK = '<link rel="icon" type="image/svg+xml" href="/assets/mark.svg">'

/** A file of the service's pages. */
export interface Asset {
  readonly contentType: string
  readonly body: Buffer | string
  /** True when other content would have another path. */
  readonly isImmutable: boolean
  /** Of a worker's script, which obeys its own policy and not that of its page. */
  readonly policy?: string
}

export interface LinkedPageParts {
  /** Plain text. */
  readonly title: string
  /** Paths of its script and style on the same host. */
  readonly script: string
  readonly style: string
  /** Paths of scripts that the script imports: the browser asks for them at once. */
  readonly preloads?: readonly string[]
  /** Paths of JSON that the script fetches first. */
  readonly fetches?: readonly string[]
  /** The module of its script that draws it, by its path below the page's folder; default and null: the script alone. */
  readonly part?: string | null
  /** What is seen until the script draws the page. */
  readonly frame?: Html
  /** JSON for the script, in the element `data`. */
  readonly data: unknown
  /** Path of its web application manifest, for a page that can be installed. */
  readonly manifest?: string
  /** Style elements that its script makes must have this nonce; new for each answer. */
  readonly styleNonce?: string
  /** The page itself, when it reads without script; default: the script makes it. */
  readonly body?: Html
}

/** A page, before the files of its script are known. */
export type ShownPage = Omit<LinkedPageParts, "preloads" | "script" | "style">

/** A page whose script and style are files of its host, which browsers keep. Nothing is inline but its data. */
export function linkedPage({
  title,
  script,
  style,
  preloads = [],
  fetches = [],
  part = null,
  frame,
  data,
  manifest,
  styleNonce,
  body,
}: LinkedPageParts): WrittenPage {
  const html = [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    `<title>${escaped(title)}</title>`,
    FAVICON_LINK,
    ...(manifest === undefined ? [] : [`<link rel="manifest" href="${escaped(manifest)}">`]),
    `<link rel="stylesheet" href="${escaped(style)}">`,
    `<script type="module" src="${escaped(script)}"></script>`,
    ...preloads.map((path) => `<link rel="modulepreload" href="${escaped(path)}">`),
    ...fetches.map(
      (path) => `<link rel="preload" as="fetch" crossorigin="anonymous" href="${escaped(path)}">`,
    ),
    "</head>",
    "<body>",
    ...(body === undefined
      ? [
          `<div id="page"${part === null ? "" : ` data-part="${escaped(part)}"`}>${frame?.html ?? ""}</div>`,
          jsonElement("data", data).html,
          "<noscript>This page needs JavaScript.</noscript>",
        ]
      : [body.html]),
    "</body>",
    "</html>",
    "",
  ].join("\n")
  const styles = styleNonce === undefined ? "" : ` 'nonce-${styleNonce}'`
  const own = LINKED_POLICY.replace("style-src 'self'", `style-src 'self'${styles}`)
  return { html, policy: manifest === undefined ? own : `${own}; manifest-src 'self'` }
}

const LINKED_POLICY = [
  "default-src 'none'",
  ...["script", "style", "font", "img", "connect"].map((kind) => `${kind}-src 'self'`),
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ")

function policyOf(
  { connects, forms, hasAssets, hasWorker, later }: PageParts,
  styles: readonly string[],
  scripts: readonly PageScript[],
): string {
  const scriptTexts = [...scripts.map(({ text }) => text), ...(later === undefined ? [] : [later.script])]
  const styleTexts = [...styles, ...(later === undefined ? [] : [later.style])]
  return [
    "default-src 'none'",
    ...(scriptTexts.length === 0 ? [] : [`script-src ${scriptTexts.map(sourceOf).join(" ")}`]),
    `style-src ${styleTexts.map(sourceOf).join(" ")}`,
    ...(hasWorker === true ? ["worker-src blob:"] : []),
    ...(connects === true ? ["connect-src 'self'"] : []),
    ...(hasAssets === true ? ["font-src 'self'", "img-src 'self'"] : ["font-src data:"]),
    "base-uri 'none'",
    `form-action ${forms ?? "'none'"}`,
  ].join("; ")
}

function sourceOf(text: string): string {
  return `'sha256-${hash("sha256", text, "base64")}'`
}

/** Escapes end tags: a text element ends at the first one. */
function inElement(text: string, name: "script" | "style"): string {
  return text.replaceAll(new RegExp(`</(?=${name})`, "gi"), String.raw`<\/`)
}

/** JSON for a script of the page, escaped so that nothing in it can end the element. */
export function jsonElement(id: string, value: unknown): Html {
  return raw(
    `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`,
  )
}

/** Private pages are not cached, not framed, and send no referrer. */
export const PRIVATE_PAGE_HEADERS = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "X-Robots-Tag": "noindex",
} as const
