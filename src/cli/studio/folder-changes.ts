/** Tells the page when a file of the folder was written, added or removed by anyone, so that it shows the folder as it is. */

import { setTimeout as pause } from "node:timers/promises"
import { STUDIO_LOOK_MS } from "../../model/values/limits.ts"
import type { FolderChange } from "../../pages/web/studio/contract.ts"
import type { ScenarioFolder } from "./folder.ts"

/**
 * A line at once, and one after each look that found a change. It looks by itself instead of asking the system to watch: that
 * also works on shared folders and in containers, and looks into no `node_modules`.
 */
export async function* folderChanges(
  folder: Pick<ScenarioFolder, "signature">,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let before = signatureOf(folder)
  yield line({ is: "watched" })
  while (!signal.aborted) {
    await pause(STUDIO_LOOK_MS, undefined, { signal }).catch(() => undefined)
    const now = signatureOf(folder)
    if (now !== before && !signal.aborted) yield line({ is: "changed" })
    before = now
  }
}

/** Empty for a folder that cannot be read; the page learns why when it reads the list. */
function signatureOf(folder: Pick<ScenarioFolder, "signature">): string {
  try {
    return folder.signature()
  } catch {
    return ""
  }
}

function line(change: FolderChange): string {
  return `${JSON.stringify(change)}\n`
}
