/**
 * Where imports lead, remembered for the process. Node resolves every import anew: for each file of a package it passes all
 * `exports` of the package from C++ to JavaScript, and for each import of a package's name it parses them. For the packages of
 * this program that was almost half of the processor time of a start (src/DECISIONS.md §154).
 */

import { lstatSync } from "node:fs"
import type { ResolveFnOutput, ResolveHookSync } from "node:module"

/** The program's own folders of code. Other files, such as a user's scenarios, may be beside packages of their own. */
const PROGRAM = ["../../", "../../../machines/"].map((folder) => new URL(folder, import.meta.url).href)
const PACKAGES = "/node_modules/"
const HASH = "#"

/** Node's arguments for a thread: neither the cache of compiled code nor what is remembered here passes to it by itself. */
export const THREAD_ARGUMENTS = ["--import", new URL("./loading.js", import.meta.url).href]

/** By importing package and name. */
const packageFiles = new Map<string, ResolveFnOutput>()
/** By URL. */
const files = new Map<string, ResolveFnOutput>()
/** By folder and extension: Node takes the format of a file from its extension and the nearest package.json. */
const formats = new Map<string, string>()

/** Answers as Node would, and asks Node for each package once and for each folder once. */
export const rememberedPlace: ResolveHookSync = (specifier, context, nextResolve) => {
  const { parentURL, conditions, importAttributes } = context
  const isImport = conditions.includes("import") && Object.keys(importAttributes).length === 0
  if (parentURL === undefined || !isImport) return nextResolve(specifier, context)
  if (specifier.startsWith(".")) {
    const { href } = new URL(specifier, parentURL)
    const known = files.get(href) ?? fileBesideKnown(href)
    if (known !== null) return known
    const found = nextResolve(specifier, context)
    // Another URL is the target of a link.
    if (found.url === href && typeof found.format === "string")
      formats.set(folderAndEnding(href), found.format)
    return found
  }
  const owner = ownerOf(parentURL)
  // A name with a hash means something else in each package; one with a colon or a slash in front is a URL or a path.
  if (owner === null || specifier.startsWith(HASH) || /^\/|:/.test(specifier))
    return nextResolve(specifier, context)
  const key = `${owner}\n${specifier}`
  const known = packageFiles.get(key)
  if (known !== undefined) return known
  const found = nextResolve(specifier, context)
  packageFiles.set(key, { ...found, shortCircuit: true })
  return found
}

/** Null for a file whose folder is not known yet, for a link, and for one that does not exist: Node has the message. */
function fileBesideKnown(href: string): ResolveFnOutput | null {
  const format = formats.get(folderAndEnding(href))
  if (format === undefined) return null
  if (lstatSync(new URL(href), { throwIfNoEntry: false })?.isFile() !== true) return null
  const found = { url: href, format, shortCircuit: true }
  files.set(href, found)
  return found
}

function folderAndEnding(href: string): string {
  return href.slice(0, href.lastIndexOf("/")) + href.slice(href.lastIndexOf("."))
}

/** The folder whose modules all find the same packages: the program, or the package that contains the module. */
function ownerOf(parentURL: string): string | null {
  const program = PROGRAM.find((folder) => parentURL.startsWith(folder))
  if (program !== undefined) return program
  const end = parentURL.lastIndexOf(PACKAGES) + PACKAGES.length
  if (end < PACKAGES.length) return null
  const [scope, name = ""] = parentURL.slice(end).split("/", 2)
  return parentURL.slice(0, end) + (scope?.startsWith("@") === true ? `${scope}/${name}` : scope)
}
