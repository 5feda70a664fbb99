/**
 * Bundles the script of a web worker into one file without imports, unless a bundle of the same sources exists. It is a classic script,
 * so that a page starts it from an address or from a text in the page itself.
 */

import { sourcesText } from "./build.ts"
import { kept } from "./cache.ts"

export interface BundledWorker {
  /** In the names of its files. */
  readonly name: string
  /** Path of its first module. */
  readonly entry: string
  /** Folders below `src` that contain everything that the script is made from and by. */
  readonly folders: readonly string[]
  /** Modules that are left out, each with its named exports. Whatever uses one gets an error that names it. */
  readonly without: Readonly<Record<string, readonly string[]>>
}

/** Cost: a tenth of a second when the script is cached, about two seconds when it is built. */
export function workerScript(worker: BundledWorker, folder?: string): Promise<string> {
  const { name, folders } = worker
  const from = sourcesText(undefined, folders)
  return kept({
    kind: `worker-${name}`,
    from,
    make: () => bundled(worker),
    ...(folder === undefined ? {} : { folder }),
  })
}

async function bundled({ name, entry, without }: BundledWorker): Promise<string> {
  // A development dependency: a package contains built scripts.
  const { build } = await import("vite")
  const result = await build({
    configFile: false,
    logLevel: "error",
    // In a test run the usual ones would be those of development.
    resolve: { conditions: ["module", "browser", "production"] },
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    plugins: [leavingOut(without)],
    build: {
      write: false,
      target: "es2023",
      modulePreload: false,
      rollupOptions: {
        input: entry,
        output: { format: "iife", strict: true, codeSplitting: false },
      },
    },
  })
  const [first, ...more] = [result].flat().flatMap((one) => ("output" in one ? one.output : []))
  if (first?.type !== "chunk" || more.length > 0) throw new Error(`the worker ${name} is not one script`)
  return first.code
}

/** In front of the path of a module that no file has. Source: Rollup, "Conventions". */
const VIRTUAL = "\0without:"

function leavingOut(without: BundledWorker["without"]) {
  return {
    name: "without",
    enforce: "pre" as const,
    resolveId: (id: string) => (Object.hasOwn(without, id) ? `${VIRTUAL}${id}` : null),
    load: (id: string) => {
      if (!id.startsWith(VIRTUAL)) return null
      const module = id.slice(VIRTUAL.length)
      return [
        `const used = () => { throw new Error(${JSON.stringify(`this script was made without ${module}`)}) }`,
        "const absent = new Proxy(used, { get: used, apply: used })",
        "export default absent",
        ...(without[module] ?? []).map((name) => `export { absent as ${name} }`),
      ].join("\n")
    },
  }
}
