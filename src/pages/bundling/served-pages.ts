/**
 * Pages of the running service that load their script and style from `/assets`: a short HTML text for each visit, and
 * files with a digest in their names, which browsers keep.
 */

import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { linkedPage } from "../html/page-frame.ts"
import type { Asset, LinkedPageParts, WrittenPage } from "../html/page-frame.ts"
import { FONT_PATHS } from "../html/styles.ts"
import { FAVICON } from "../html/tokens.ts"
import { digest } from "../../engine/kernel/hash.ts"
import { SERVICE_PAGES, pageBundle } from "./build.ts"
import type { PageBundle, PageName } from "./build.ts"

export interface ServedPages {
  /** `data` is JSON for the page's script, `body` a page that reads without it. */
  readonly page: (
    name: PageName,
    shown: Pick<LinkedPageParts, "body" | "data" | "manifest" | "styleNonce" | "title">,
  ) => Promise<WrittenPage>
  /** The service worker of a page at a path, with the list of the page's files in front of it. */
  readonly worker: (name: PageName, of: { readonly page: PageName; readonly path: string }) => Promise<string>
  /** The file of a path below `/assets`; null when there is none. */
  readonly asset: (path: string) => Promise<Asset | null>
}

interface BuiltPage {
  readonly script: string
  readonly style: string
  readonly assets: ReadonlyMap<string, Asset>
  /** Of script and style. */
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
  return {
    page: async (name, shown) => {
      const { script, style } = await built(name)
      return linkedPage({ ...shown, script, style })
    },
    worker: async (name, { page, path }) => {
      const { script, style, digest: revision } = await built(page)
      const bundle = workers.get(name) ?? (await pageBundle(name))
      workers.set(name, bundle)
      const { script: text } = bundle
      // Files with a digest in their names need no other revision.
      const files = [script, style].map((url) => ({ url, revision: null }))
      const fixed = ["/assets/mark.svg", "/assets/inter.woff2"].map((url) => ({ url, revision: "1" }))
      return `self.CURBLINE_SHELL = ${JSON.stringify([{ url: path, revision }, ...files, ...fixed])};\n${text}`
    },
    asset: async (path) => {
      const fixed = await fixedAsset(path)
      if (fixed !== null) return fixed
      const name = names.find((page) => path.startsWith(`/assets/${page}-`))
      return name === undefined ? null : ((await built(name)).assets.get(path) ?? null)
    },
  }
}

async function builtPage(name: PageName): Promise<BuiltPage> {
  const bundle = await pageBundle(name)
  const script = `/assets/${name}-${digest(bundle.script).slice(0, 16)}.js`
  const style = `/assets/${name}-${digest(bundle.style).slice(0, 16)}.css`
  const assets = new Map<string, Asset>([
    [script, { contentType: "text/javascript; charset=utf-8", body: bundle.script, isImmutable: true }],
    [style, { contentType: "text/css; charset=utf-8", body: bundle.style, isImmutable: true }],
  ])
  return { script, style, assets, digest: digest(`${script} ${style}`).slice(0, 16) }
}

/** The mark and the typefaces. */
async function fixedAsset(path: string): Promise<Asset | null> {
  if (path === "/assets/mark.svg") return { contentType: "image/svg+xml", body: FAVICON, isImmutable: false }
  const font = Object.entries(FONT_PATHS).find(([known]) => known === path)?.[1]
  if (font === undefined) return null
  return {
    contentType: "font/woff2",
    body: await readFile(fileURLToPath(import.meta.resolve(font))),
    isImmutable: false,
  }
}
