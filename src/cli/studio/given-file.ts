/** A file of the opened folder as the threads take it. */

import { join } from "node:path"
import type { ScenarioFolder } from "./folder.ts"
import type { GivenFile } from "./worker.ts"

/** With the text on disk, unless another is given. Refuses what the folder refuses. */
export function givenFile(folder: ScenarioFolder, path: string, text?: string): GivenFile {
  const place = folder.place(path)
  return { path, place, shown: shownPath(folder, path), text: text ?? folder.read(path).text }
}

/** As messages and commands name it. */
export function shownPath(folder: ScenarioFolder, path: string): string {
  return join(folder.name, path)
}
