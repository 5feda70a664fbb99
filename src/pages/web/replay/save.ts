/** Gives the reader the replay as one file. */

import { toast } from "../design/feedback.tsx"
import type { ReplaySource } from "./source.ts"

export async function saveAsFile({ run, save }: ReplaySource, moment: string): Promise<void> {
  if (save === null) return
  toast("The command runs the model, for the digest in the file.")
  try {
    const url = URL.createObjectURL(await save(moment))
    const link = document.createElement("a")
    link.href = url
    link.download = `${run.file.replace(/^.*\//, "").replace(/\.ya?ml$/, "")}-replay.html`
    link.click()
    // The browser reads the file after the click.
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  } catch (cause) {
    toast(`The file was not made: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
