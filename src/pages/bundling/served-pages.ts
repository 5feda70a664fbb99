/**
 * Pages of the running service that load their script and style from `/assets`: a short HTML text for each visit, and
 * files with a digest in their names, which browsers keep.
 */

import { readFile } from "node:fs/promises"
import { linkedPage } from "../html/page-frame.ts"
import type { Asset, ShownPage, WrittenPage } from "../html/page-frame.ts"
import { FONT_FILES, SERVED_FONTS } from "../html/fonts/fonts.ts"
import { FAVICON } from "../html/tokens.ts"
import type { ChartPicture } from "../inspection/packed.ts"
import { digest } from "../../engine/kernel/hash.ts"
import { madeOnce } from "../../engine/services/made-once.ts"
import { SERVICE_PAGES, pageBundle } from "./build.ts"
import { cardDocument } from "./card-document.ts"
import { areAllDrawn, programPictures } from "./chart-pictures.ts"
import type { PageName } from "./build.ts"

export interface ServedPages {
  /** `data` is JSON for the page's script, `body` a page that reads without it. */
  readonly page: (name: PageName, shown: ShownPage) => Promise<WrittenPage>
  /** The program's charts with their pictures. */
  readonly charts: () => Promise<DrawnCharts>
  /** The service worker of a page at a path, with the list of the page's files in front of it. `answer` is what the path answers, also its headers. */
  readonly worker: (
    name: PageName,
    of: { readonly page: PageName; readonly path: string; readonly answer: string },
  ) => Promise<string>
  /** The card of a delivery, as one document for hosts of agents. */
  readonly card: () => Promise<string>
  /** The file of a path below `/assets`; null when there is none. */
  readonly asset: (path: string) => Promise<Asset | null>
}

interface DrawnCharts {
  /** Of their file, JSON; null if a picture failed: then no browser may keep them. */
  readonly path: string | null
  readonly pictures: readonly ChartPicture[]
}

interface BuiltPage {
  readonly script: string
  readonly style: string
  /** Files that the script imports, and those that each part needs besides. */
  readonly imports: readonly string[]
  readonly parts: ReadonlyMap<string, readonly string[]>
  readonly assets: ReadonlyMap<string, Asset>
}

/** `prepared` waits until the bundles are built. Only files of the pages in `names` are served. */
export function servedPages(
  prepared: () => Promise<void>,
  names: readonly PageName[] = SERVICE_PAGES,
  draw: () => Promise<readonly ChartPicture[]> = programPictures,
): ServedPages {
  const built = oncePerPage(async (name) => {
    await prepared()
    return builtPage(name)
  })
  const bundled = oncePerPage((name) => pageBundle(name))
  const charts = madeOnce(
    async () => {
      await prepared()
      return drawnCharts(await draw())
    },
    ({ path }) => path !== null,
  )
  const chartsAt = async (path: string): Promise<Asset | null> => {
    const drawn = await charts()
    return path === drawn.path ? drawn.asset : null
  }
  return {
    charts,
    page: async (name, shown) => {
      const { script, style, imports, parts } = await built(name)
      const { part = null } = shown
      const more = part === null ? [] : parts.get(part)
      if (more === undefined) throw new Error(`the page ${name} has no part ${part}`)
      return linkedPage({ ...shown, script, style, preloads: [...imports, ...more] })
    },
    worker: async (name, { page, path, answer }) => {
      const { assets } = await built(page)
      const { script: text } = await bundled(name)
      // Files with a digest in their names need no other revision.
      const files = [...assets.keys()].map((url) => ({ url, revision: null }))
      const revision = digestOf([answer, ...assets.keys()].join("\n"))
      const fixed = await Promise.all(SHELL_ASSETS.map(fixedFile))
      return `self.CURBLINE_SHELL = ${JSON.stringify([{ url: path, revision }, ...files, ...fixed])};\n${text}`
    },
    card: madeOnce(async () => {
      await prepared()
      return cardDocument(await bundled("card"))
    }),
    asset: async (path) => {
      const fixed = await fixedAsset(path)
      if (fixed !== null) return fixed
      if (path.startsWith(CHARTS) && names.includes("inspector")) return chartsAt(path)
      const name = names.find((page) => path.startsWith(`/assets/${page}-`))
      return name === undefined ? null : ((await built(name)).assets.get(path) ?? null)
    },
  }
}

function oncePerPage<A>(make: (name: PageName) => Promise<A>): (name: PageName) => Promise<A> {
  const made = new Map<PageName, () => Promise<A>>()
  return (name) => {
    const known = made.get(name) ?? madeOnce(() => make(name))
    made.set(name, known)
    return known()
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
  }
}

const CHARTS = "/assets/charts-"

function drawnCharts(pictures: readonly ChartPicture[]): DrawnCharts & { readonly asset: Asset } {
  const body = JSON.stringify(pictures)
  const path = areAllDrawn(pictures) ? `${CHARTS}${digestOf(body)}.json` : null
  return { path, pictures, asset: { contentType: "application/json", body, isImmutable: true } }
}

const ONE_FILE = { files: {}, imports: [], parts: {} }
const SCRIPT = "text/javascript; charset=utf-8"

function pathOf(file: string): string {
  return `/assets/${file}`
}

function digestOf(content: Buffer | string): string {
  return digest(content).slice(0, 16)
}

/** Files of every page that have no digest in their names. */
const SHELL_ASSETS = ["/assets/mark.svg", "/assets/inter.woff2"]

/** Its revision follows its bytes: a service worker fetches the file again only when the revision changes. */
async function fixedFile(url: string): Promise<{ readonly url: string; readonly revision: string }> {
  const file = await fixedAsset(url)
  if (file === null) throw new Error(`there is no file ${url}`)
  return { url, revision: digestOf(file.body) }
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
