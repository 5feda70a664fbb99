/** The files that a command writes: none is one of those that it reads, and no two are the same. */

import { existsSync, realpathSync } from "node:fs"
import { resolve } from "node:path"
import { UsageError } from "./usage-error.ts"

/** The files of the flags, by flag. */
export type Outputs = Readonly<Record<`--${string}`, string | undefined>>

/** Throws a UsageError that names the flag. `what`: what the command reads, such as `scenario`. */
export function assertOutputs(
  outputs: Outputs,
  { what, inputs }: { readonly what: string; readonly inputs: readonly string[] },
): void {
  const read = new Set(inputs.map(placeOf))
  const flagByPlace = new Map<string, string>()
  for (const [flag, path] of Object.entries(outputs)) {
    if (path === undefined) continue
    const place = placeOf(path)
    if (read.has(place)) throw new UsageError(`${flag} would write over the ${what} ${path}`)
    const other = flagByPlace.get(place)
    if (other !== undefined) throw new UsageError(`${other} and ${flag} name the same file, ${path}`)
    flagByPlace.set(place, flag)
  }
}

/** Throws a UsageError when the file is there already. */
export function assertNew(path: string): void {
  if (existsSync(path)) throw new UsageError(`${path} exists; name another file or remove it`)
}

/** With links followed, as far as the file exists. */
function placeOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path)
}
