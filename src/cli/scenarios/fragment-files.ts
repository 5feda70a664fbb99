/**
 * Opens files of fragments for the scenario reader. A path is relative to the file that names it, and stays inside of the
 * folder of scenarios: the nearest one with `scenario.schema.json`, else that of the scenario's file.
 */

import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs"
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { SOURCE_BYTES_MAX } from "../../model/values/limits.ts"
import { kindOfText } from "../../simulation/scenario/language/file-kind.ts"
import type { OpenFragments } from "../../simulation/scenario/language/fragments.ts"
import { SAVE_AS_UTF8, utf8Of } from "../kit/text-files.ts"

/** Opens a file of fragments that `from` names. */
export const openFragmentFile: OpenFragments = (from, path) => {
  if (isAbsolute(path)) return { refused: "is absolute; name it from this file on" }
  if (!/\.ya?ml$/.test(path)) return { refused: "does not end in .yaml or .yml" }
  const root = scenarioFolderOf(from)
  const file = resolve(dirname(from), path)
  if (!isInside(root, file)) return { refused: `leads out of the folder ${shown(root)}` }
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return { refused: "does not exist" }
  if (!stats.isFile() || !isInside(realpathSync(root), realpathSync(file)))
    return { refused: "is no file of the folder" }
  if (stats.size > SOURCE_BYTES_MAX) return { refused: `is larger than ${SOURCE_BYTES_MAX} bytes` }
  const text = utf8Of(readFileSync(file))
  if (text === null) return { refused: `is not UTF-8 text; ${SAVE_AS_UTF8}` }
  if (kindOfText(text) !== "file of fragments")
    return { refused: 'is no file of fragments: it has no key "fragments"' }
  return { source: { file: shown(file), text } }
}

/** The folder of scenarios that a file belongs to. */
export function scenarioFolderOf(file: string): string {
  const own = resolve(dirname(file))
  for (let folder = own; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "scenario.schema.json"))) return folder
    if (dirname(folder) === folder) return own
  }
}

function isInside(folder: string, file: string): boolean {
  return file.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

function shown(path: string): string {
  const short = relative(process.cwd(), path)
  return short === "" || short.startsWith("..") ? path : short
}
