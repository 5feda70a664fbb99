/**
 * Bundles a page's script and style out of `src/web`, when there is no bundle of these very sources yet. A bundle is a
 * second's work, so it is made where it is needed and kept, and nothing built is committed.
 */

import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { CHART_STYLE } from "../chart/svg.ts"
import { isKept, kept } from "./cache.ts"

const SOURCE = fileURLToPath(new URL("../", import.meta.url))
/** Folders whose files may end up in a page. */
const FOLDERS = ["web", "inspection", "chart", "model", "pages"]

export interface PageBundle {
  /** An ES module without imports. */
  readonly script: string
  readonly style: string
}

export type PageName = "inspector"

/** Cost: a few milliseconds when the bundle is fresh, about a second when it is made. */
export async function pageBundle(page: PageName): Promise<PageBundle> {
  const text = await kept({
    kind: `page-${page}`,
    from: sourcesText(),
    make: async () => JSON.stringify(await bundled(page)),
  })
  return JSON.parse(text) as PageBundle
}

export function isBundleKept(page: PageName): boolean {
  return isKept({ kind: `page-${page}`, from: sourcesText() })
}

/** Everything that a bundle depends on, the bundler and Preact by their versions. */
function sourcesText(): string {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(SOURCE, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(tsx?|css)$/.test(name))
      .toSorted()
      .map((name) => join(SOURCE, folder, name)),
  )
  const manifest = join(SOURCE, "../package.json")
  return [manifest, ...files].map((file) => readFileSync(file, "utf8")).join("\0")
}

async function bundled(page: PageName): Promise<PageBundle> {
  // Larger than everything else here, and needed once.
  const { build } = await import("vite")
  const result = await build({
    configFile: false,
    root: join(SOURCE, "web"),
    logLevel: "error",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      write: false,
      target: "es2023",
      modulePreload: false,
      cssCodeSplit: false,
      rollupOptions: { input: join(SOURCE, "web", page, "main.tsx"), output: { codeSplitting: false } },
    },
  })
  const outputs = [result].flat().flatMap((one) => ("output" in one ? one.output : []))
  const chunks = outputs.filter((one) => one.type === "chunk")
  const script = chunks[0]?.code
  if (script === undefined || chunks.length > 1) throw new Error(`the page ${page} is not one script`)
  const styles = outputs.flatMap((one) => (one.type === "asset" ? [String(one.source)] : []))
  return { script, style: [...styles, CHART_STYLE].join("\n") }
}
