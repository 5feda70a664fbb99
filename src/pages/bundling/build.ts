/**
 * Bundles a page's script and style from `src/pages/web`, unless a bundle of the same sources exists. A bundle takes about a
 * second, so it is made on demand and cached, and nothing built is committed.
 */

import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { CHART_STYLE } from "../chart/svg.ts"
import { BASE_STYLE, FONT_FACES } from "../html/styles.ts"
import { SUNLIGHT_TOKENS } from "../html/tokens.ts"
import { digest } from "../../engine/kernel/hash.ts"
import { isKept, kept } from "./cache.ts"

const SOURCE = fileURLToPath(new URL("../../", import.meta.url))
/** Folders whose files may be part of a page. */
const FOLDERS = ["model", "pages"]

export interface PageBundle {
  /** An ES module without imports. */
  readonly script: string
  readonly style: string
}

/** Pages of the running service. */
export const SERVICE_PAGES = [
  "gallery",
  "inspector",
  "ops",
  "portal",
  "reference",
  "runner",
  "runner-worker",
  "start",
  "tracking",
] as const

/** The studio is served by its own command alone. */
export const PAGES = [...SERVICE_PAGES, "studio"] as const

export type PageName = (typeof PAGES)[number]

/** The sources of a bundle, its cache, and its builder. */
export interface BundlePlace {
  /** Its parent folder contains package.json. */
  readonly sources: string
  readonly folder?: string
  readonly make: (page: PageName, sources: string) => Promise<PageBundle>
}

export const PROGRAM: BundlePlace = { sources: SOURCE, make: bundled }

/** Cost: a few milliseconds when the bundle is cached, about a second when it is built. */
export async function pageBundle(page: PageName, place = PROGRAM): Promise<PageBundle> {
  const make = async (): Promise<string> => JSON.stringify(await place.make(page, place.sources))
  return JSON.parse(await kept({ ...nameOf(page, place), make })) as PageBundle
}

/** False if a bundle is missing, or is one of other sources. The sources are read once, however many pages there are. */
export function areBundlesKept(pages: readonly PageName[], place = PROGRAM): boolean {
  const from = digest(sourcesText(place.sources))
  return pages.every((page) => isKept(nameOf(page, place, from)))
}

function nameOf(page: PageName, { sources, folder }: BundlePlace, from = digest(sourcesText(sources))) {
  return { kind: `page-${page}`, from, ...(folder === undefined ? {} : { folder }) }
}

/** Everything that a bundle depends on, including the versions of the bundler and Preact. */
function sourcesText(sources: string): string {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(sources, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(tsx?|css|svg)$/.test(name) && !MADE_TYPES.test(name))
      .toSorted()
      .map((name) => join(folder, name)),
  )
  // The name of a file is included: a file that has moved is imported from elsewhere.
  return ["../package.json", ...files]
    .map((file) => `${file}\n${readFileSync(join(sources, file), "utf8")}`)
    .join("\0")
}

/** Types of the APIs: no bundle contains them, and they are made when something needs them. */
const MADE_TYPES = /\bapi-types\.ts$/

async function bundled(page: PageName, sources: string): Promise<PageBundle> {
  // A development dependency: a package contains built pages.
  const { build } = await import("vite")
  const result = await build({
    configFile: false,
    root: join(sources, "pages/web"),
    logLevel: "error",
    // The development form of JSX, which a test run would choose, has the paths of this machine.
    oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
    build: {
      write: false,
      target: "es2023",
      modulePreload: false,
      cssCodeSplit: false,
      rollupOptions: {
        input: join(sources, "pages/web", page, "main.tsx"),
        output: { codeSplitting: false },
      },
    },
  })
  const outputs = [result].flat().flatMap((one) => ("output" in one ? one.output : []))
  const chunks = outputs.filter((one) => one.type === "chunk")
  const script = chunks[0]?.code
  if (script === undefined || chunks.length > 1) throw new Error(`the page ${page} is not one script`)
  const styles = outputs.flatMap((one) => (one.type === "asset" ? [String(one.source)] : []))
  const own = [...(page === "inspector" ? [] : [FONT_FACES]), ...styles]
  if (page === "inspector" || page === "studio") own.push(CHART_STYLE)
  const base = page === "runner" ? `${BASE_STYLE}${SUNLIGHT_TOKENS}` : BASE_STYLE
  return { script, style: [base, ...own].join("\n") }
}
