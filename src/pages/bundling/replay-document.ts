/** The page "Fleet replay" with everything it needs, as a file or inside of another page: its bundle, the script of its worker and the run. */

import { jsonElement, writtenPage } from "../html/page-frame.ts"
import type { PageParts, WrittenPage } from "../html/page-frame.ts"
import { raw } from "../html/markup.ts"
import type { Html } from "../html/markup.ts"
import type { ReplayData } from "../../model/replay/replay-data.ts"
import type { PageBundle } from "./build.ts"
import { textElement } from "./inspector-document.ts"
import { compressed } from "./record-file.ts"

export interface ReplayParts {
  readonly bundle: PageBundle
  /** The text of the worker's script. */
  readonly worker: string
  readonly run: NonNullable<ReplayData["run"]>
}

/** A file that opens without a network. */
export function replayFile({
  bundle,
  worker,
  run,
  title,
  moment,
}: ReplayParts & { readonly title: string; readonly moment: string }): WrittenPage {
  const data: ReplayData = { worker: null, run, moment }
  const body = [
    '<div id="page"></div>',
    jsonElement("data", data).html,
    textElement("replay-worker", compressed(worker)),
  ]
  return writtenPage({
    title,
    style: bundle.style,
    body: raw(body.join("\n")),
    scripts: [{ text: bundle.script, isModule: true }],
    isFile: true,
    hasWorker: true,
  })
}

/** For a page whose own script opens it. */
export interface ReplayInside {
  /** Elements `replay-data`, and compressed ones: `replay-script`, `replay-style` and `replay-worker`. */
  readonly elements: Html
  readonly later: NonNullable<PageParts["later"]>
}

export function replayInside({ bundle, worker, run }: ReplayParts): ReplayInside {
  const data: ReplayData = { worker: null, run }
  const elements = [
    jsonElement("replay-data", data).html,
    textElement("replay-script", compressed(bundle.script)),
    textElement("replay-style", compressed(bundle.style)),
    textElement("replay-worker", compressed(worker)),
  ]
  return { elements: raw(elements.join("\n")), later: bundle }
}
