/**
 * Pages of the running service that load their script and style from `/assets`: a short HTML text for each visit, and
 * files with a digest in their names, which browsers keep.
 */

import { readFile } from "node:fs/promises"
import { linkedPage } from "../html/page-frame.ts"
import type { Asset, ShownPage, WrittenPage } from "../html/page-frame.ts"
import { FONT_FILES, SERVED_FONTS } from "../html/fonts/fonts.ts"
import { FAVICON } from "../html/tokens.ts"
import { digest } from "../../engine/kernel/hash.ts"
import { SERVICE_PAGES, pageBundle } from "./build.ts"
import { programPictures } from "./chart-pictures.ts"
import type { PageBundle, PageName } from "./build.ts"

export interface ServedPages {
  /** `data` is JSON for the page's script, `body` a page that reads without it. */
  readonly page: (name: PageName, shown: ShownPage) => Promise<WrittenPage>
  /** The path of the program's charts with their pictures, as JSON. */
  readonly charts: () => Promise<string>
  /** The service worker of a page at a path, with the list of the page's files in front of it. */
  readonly worker: (name: PageName, of: { readonly page: PageName; readonly path: string }) => Promise<string>
  /** The file of a path below `/assets`; null when there is none. */
  readonly asset: (path: string) => Promise<Asset | null>
}

interface BuiltPage {
  readonly script: string
  readonly style: string
  /** Files that the script imports, and those that each part needs besides. */
  readonly imports: readonly string[]
  readonly parts: ReadonlyMap<string, readonly string[]>
  readonly assets: ReadonlyMap<string, Asset>
  /** Of all files. */
  readonly digest: string
}

/** `prepared` waits until the bundles are built. Only files of the pages in `names` are served. */
export function servedPages(
  prepared: () => Promise<void>,
  names: readonly PageName[] = SERVICE_PAGES,
): ServedPages {
  const pages = new Map<PageName, Promise<BuiltPage>>()
  const workers = new Map<PageName, PageBundle>()
  const built = async (name: PageName): Promise<BuiltPage> => {
    await prepared()
    const known = pages.get(name) ?? builtPage(name)
    pages.set(name, known)
    try {
      return await known
    } catch (cause) {
      pages.delete(name)
      throw cause
    }
  }
  let drawn: Promise<readonly [path: string, asset: Asset]> | null = null
  const charts = async () => {
    await prepared()
    return (drawn ??= drawnCharts())
  }
  const chartsAt = async (path: string): Promise<Asset | null> => {
    const [known, asset] = await charts()
    return path === known ? asset : null
  }
  return {
    charts: async () => (await charts())[0],
    page: async (name, shown) => {
      const { script, style, imports, parts } = await built(name)
      const { part = null } = shown
      const more = part === null ? [] : parts.get(part)
      if (more === undefined) throw new Error(`the page ${name} has no part ${part}`)
      return linkedPage({ ...shown, script, style, preloads: [...imports, ...more] })
    },
    worker: async (name, { page, path }) => {
      const { assets, digest: revision } = await built(page)
      const bundle = workers.get(name) ?? (await pageBundle(name))
      workers.set(name, bundle)
      const { script: text } = bundle
      // Files with a digest in their names need no other revision.
      const files = [...assets.keys()].map((url) => ({ url, revision: null }))
      const fixed = ["/assets/mark.svg", "/assets/inter.woff2"].map((url) => ({ url, revision: "1" }))
      return `self.CURBLINE_SHELL = ${JSON.stringify([{ url: path, revision }, ...files, ...fixed])};\n${text}`
    },
    asset: async (path) => {
      const fixed = await fixedAsset(path)
      if (fixed !== null) return fixed
      if (path.startsWith(CHARTS) && names.includes("inspector")) return chartsAt(path)
      const name = names.find((page) => path.startsWith(`/assets/${page}-`))
      return name === undefined ? null : ((await built(name)).assets.get(path) ?? null)
    },
  }
}

async function builtPage(name: PageName): Promise<BuiltPage> {
  const bundle = await pageBundle(name)
  const { first, files, imports, parts } = bundle.split ?? {
    ...ONE_FILE,
    first: `${name}-${digestOf(bundle.script)}.js`,
  }
  const css = `${SERVED_FONTS}${bundle.style}`
  const style = pathOf(`${name}-${digestOf(css)}.css`)
  const scripts = Object.entries({ [first]: bundle.script, ...files })
  const assets = new Map<string, Asset>([
    ...scripts.map(
      ([file, body]) => [pathOf(file), { contentType: SCRIPT, body, isImmutable: true }] as const,
    ),
    [style, { contentType: "text/css; charset=utf-8", body: css, isImmutable: true }],
  ])
  return {
    script: pathOf(first),
    style,
    imports: imports.map(pathOf),
    parts: new Map(Object.entries(parts).map(([part, needed]) => [part, needed.map(pathOf)])),
    assets,
    digest: digestOf([...assets.keys()].join(" ")),
  }
}

const CHARTS = "/assets/charts-"

async function drawnCharts(): Promise<readonly [path: string, asset: Asset]> {
  const body = JSON.stringify(await programPictures())
  return [`${CHARTS}${digestOf(body)}.json`, { contentType: "application/json", body, isImmutable: true }]
}

const ONE_FILE = { files: {}, imports: [], parts: {} }
const SCRIPT = "text/javascript; charset=utf-8"

function pathOf(file: string): string {
  return `/assets/${file}`
}

function digestOf(text: string): string {
  return digest(text).slice(0, 16)
}

/** The mark and the typefaces. */
async function fixedAsset(path: string): Promise<Asset | null> {
  if (path === "/assets/mark.svg") return { contentType: "image/svg+xml", body: FAVICON, isImmutable: false }
  const font = FONT_FILES.get(path)
  if (font === undefined) return null
  return {
    contentType: "font/woff2",
    body: await readFile(font),
    isImmutable: false,
  }
}
