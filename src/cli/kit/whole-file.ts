/** Files that a command writes as a whole or not at all: a failed or interrupted one leaves the file of before. */

import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import type { Stats } from "node:fs"
import { dirname, resolve } from "node:path"
import { faultMessage } from "./terminal.ts"
import { CommandFailed, UsageError } from "./usage-error.ts"

/** Throws a `UsageError` when no file of this name can be made; before work that takes long. */
export function checkPlaceOf(file: string): void {
  const found = statOf(file)
  if (found?.isDirectory() === true) throw new UsageError(`${file} is a folder, not a file`)
  const folder = dirname(resolve(file))
  const above = statOf(folder)
  if (above === null) throw new UsageError(`there is no folder ${folder} for the file ${file}`)
  if (!above.isDirectory()) throw new UsageError(`${folder} is not a folder, so it cannot hold ${file}`)
  try {
    accessSync(isKept(found) ? folder : file, constants.W_OK)
  } catch (cause) {
    throw new UsageError(`${file} cannot be written: ${faultMessage(cause)}`)
  }
}

/**
 * Writes a file beside it, which takes its place when the body has ended. The body gets a function that writes further
 * text or bytes. A device or a pipe gets them at once. Throws a `CommandFailed` when the disk is full or the like.
 */
export async function writeWhole<A>(
  file: string,
  body: (write: (part: string | Uint8Array) => void) => A | Promise<A>,
  { mode = 0o666 }: { readonly mode?: number } = {},
): Promise<A> {
  checkPlaceOf(file)
  const found = statOf(file)
  const hasDraft = isKept(found)
  const place = found === null || !hasDraft ? file : realpathSync(file)
  const draft = hasDraft ? `${place}.${process.pid}` : place
  const fd = writing(file, () => openSync(draft, "w", mode))
  let isOpen = true
  try {
    const result = await body((part) => writing(file, () => writeFileSync(fd, part)))
    if (hasDraft) writing(file, () => fsyncSync(fd))
    isOpen = false
    closeSync(fd)
    if (hasDraft) writing(file, () => renameSync(draft, place))
    return result
  } catch (cause) {
    if (isOpen) closeSync(fd)
    if (hasDraft) rmSync(draft, { force: true })
    throw cause
  }
}

/** False for devices and pipes, which no file may replace. */
function isKept(found: Stats | null): boolean {
  return found === null || found.isFile()
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch (cause) {
    throw new UsageError(`${path} cannot be looked at: ${faultMessage(cause)}`)
  }
}

function writing<A>(file: string, act: () => A): A {
  try {
    return act()
  } catch (cause) {
    throw new CommandFailed(`${file} cannot be written: ${faultMessage(cause)}`)
  }
}
