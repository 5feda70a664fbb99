/**
 * Bundles a page's script and style from `src/pages/web`, unless a bundle of the same sources exists. A bundle takes about a
 * second, so it is made on demand and cached, and nothing built is committed.
 */

import { readFileSync, readdirSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import type { Rolldown } from "vite"
import { CHART_STYLE } from "../chart/svg.ts"
import { BASE_STYLE } from "../html/styles.ts"
import { SUNLIGHT_TOKENS } from "../html/tokens.ts"
import { digest } from "../../engine/kernel/hash.ts"
import { isKept, kept } from "./cache.ts"

const SOURCE = fileURLToPath(new URL("../../", import.meta.url))
/** Folders whose files may be part of a page. */
const FOLDERS: readonly string[] = ["model", "pages"]

export interface PageBundle {
  /** An ES module; of a page in one file, without imports. */
  readonly script: string
  readonly style: string
  /** Absent for a page in one file. */
  readonly split?: SplitScript
}

/** A script in several files. They import each other by name, and a name has the digest of its file's content. */
export interface SplitScript {
  /** Name of the file of the bundle's `script`. */
  readonly first: string
  /** The texts of the other files. */
  readonly files: Readonly<Record<string, string>>
  /** Names of the other files that the first one imports. */
  readonly imports: readonly string[]
  /** What each part of the page needs beyond `imports`: a part is a module that the page loads later, by its path. */
  readonly parts: Readonly<Record<string, readonly string[]>>
}

/** Pages of the running service. */
export const SERVICE_PAGES = [
  "card",
  "gallery",
  "inspector",
  "ops",
  "portal",
  "reference",
  "replay",
  "runner",
  "runner-worker",
  "start",
  "tracking",
] as const

/** They draw machines. */
const WITH_CHARTS: readonly PageName[] = ["inspector", "moment", "replay", "studio"]

/** In one file: written files contain the inspector, the moment and the replay, hosts of agents the card, and a service worker imports nothing. */
const WHOLE: readonly PageName[] = ["card", "inspector", "moment", "replay", "runner-worker"]

/** Commands on a developer's machine alone serve the studio and write the moment. */
export const PAGES = [...SERVICE_PAGES, "moment", "studio"] as const

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
  const known = nameOf(page, place, knownDigest(place))
  // What is built has the name of the sources as they are now.
  const name = isKept(known) ? known : nameOf(page, place, digest(sourcesText(place.sources)))
  const make = async (): Promise<string> => JSON.stringify(await place.make(page, place.sources))
  return JSON.parse(await kept({ ...name, make })) as PageBundle
}

/** False if a bundle is missing, or is one of other sources. The sources are read once, however many pages there are. */
export function areBundlesKept(pages: readonly PageName[], place = PROGRAM): boolean {
  const from = knownDigest(place)
  return pages.every((page) => isKept(nameOf(page, place, from)))
}

/** Of the program's own sources. To read them all takes a tenth of a second, and a process begins with those that it runs. */
let ownDigest: string | null = null

function knownDigest(place: BundlePlace): string {
  if (place.sources !== SOURCE) return digest(sourcesText(place.sources))
  ownDigest ??= digest(sourcesText(SOURCE))
  return ownDigest
}

function nameOf(page: PageName, { folder }: BundlePlace, from: string) {
  return { kind: `page-${page}`, from, ...(folder === undefined ? {} : { folder }) }
}

/** Everything that a bundle of those folders depends on, including the versions of the bundler and of packages. */
export function sourcesText(sources = SOURCE, folders = FOLDERS): string {
  const files = folders.flatMap((folder) =>
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
  const root = join(sources, "pages/web")
  const isWhole = WHOLE.includes(page)
  const name = `${page}-[hash:16].js`
  const parts = new Set<string>()
  const result = await build({
    configFile: false,
    root,
    logLevel: "error",
    plugins: [
      {
        name: "parts",
        moduleParsed: ({ dynamicallyImportedIds }) => {
          for (const id of dynamicallyImportedIds) parts.add(id)
        },
      },
    ],
    // The development form of JSX, which a test run would choose, has the paths of this machine.
    oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
    build: {
      write: false,
      target: "es2023",
      modulePreload: false,
      cssCodeSplit: false,
      rollupOptions: {
        input: join(root, page, "main.tsx"),
        output: {
          entryFileNames: name,
          chunkFileNames: name,
          hashCharacters: "hex",
          codeSplitting: isWhole ? false : { groups: SHARED },
        },
      },
    },
  })
  const outputs = [result].flat().flatMap((one) => ("output" in one ? one.output : []))
  const chunks = outputs.filter((one) => one.type === "chunk")
  const [first] = chunks.filter(({ isEntry }) => isEntry)
  if (first === undefined) throw new Error(`the page ${page} has no script`)
  const styles = outputs.flatMap((one) => (one.type === "asset" ? [String(one.source)] : []))
  if (WITH_CHARTS.includes(page)) styles.push(CHART_STYLE)
  const base = page === "runner" ? `${BASE_STYLE}${SUNLIGHT_TOKENS}` : BASE_STYLE
  const style = [base, ...styles].join("\n")
  return isWhole
    ? { script: first.code, style }
    : { script: first.code, style, split: splitOf({ first, chunks, parts, folder: join(root, page) }) }
}

/**
 * Modules of several parts stand in files that the same parts load. Small ones are joined: on a slow line one more request costs more
 * than bytes that the part does not need.
 */
const SHARED = [{ name: "shared", minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 24_000 }]

type Chunk = Pick<Rolldown.OutputChunk, "code" | "fileName" | "imports" | "moduleIds">

interface Built {
  readonly first: Chunk
  readonly chunks: readonly Chunk[]
  /** Modules that are loaded later. */
  readonly parts: ReadonlySet<string>
  /** The page's folder. */
  readonly folder: string
}

function splitOf({ first, chunks, parts, folder }: Built): SplitScript {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const reached = (name: string, known = new Set<string>()): Set<string> => {
    if (!known.has(name)) for (const next of byName.get(name)?.imports ?? []) reached(next, known.add(name))
    return known.add(name)
  }
  const imports = reached(first.fileName)
  // A part that another one imports may stand in the file of that one.
  const byPart = chunks.flatMap(({ fileName, moduleIds }) =>
    moduleIds
      .filter((id) => parts.has(id))
      .map((id) => {
        const needed = [...reached(fileName)].filter((name) => !imports.has(name))
        return [relative(folder, id).replace(/\.tsx?$/, ""), needed] as const
      }),
  )
  imports.delete(first.fileName)
  return {
    first: first.fileName,
    files: Object.fromEntries(
      chunks.filter((one) => one !== first).map(({ fileName, code }) => [fileName, code]),
    ),
    imports: [...imports],
    parts: Object.fromEntries(byPart),
  }
}
