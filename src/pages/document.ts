/**
 * The inspector's page as one HTML text that needs nothing else: its bundle and its data stand in it. Whether it is served or
 * opened from a file, it is the same bytes.
 */

import { jsonElement, writtenPage } from "../html/document.ts"
import type { WrittenPage } from "../html/document.ts"
import { raw } from "../html/markup.ts"
import type { PackedRecord } from "../inspection/packed.ts"
import type { PageBundle } from "./build.ts"

export interface PageFileParts {
  readonly title: string
  readonly bundle: PageBundle
  /** What the page reads from its element `data`, as JSON; its compressed texts have elements of their own. */
  readonly data: PackedRecord
  /** It may ask its own host for more; absent: it makes no requests. */
  readonly connects?: true
}

export function pageFile({ bundle, data, ...same }: PageFileParts): WrittenPage {
  const { record, texts } = takenApart(data)
  const body = [
    '<div id="page"></div>',
    jsonElement("data", record).html,
    ...texts.map((text, number) => `<script type="text/plain" id="${idOf(number)}">${text}</script>`),
  ]
  return writtenPage({
    ...same,
    style: bundle.style,
    body: raw(body.join("\n")),
    scripts: [{ text: bundle.script, isModule: true }],
    isFile: true,
  })
}

/**
 * A long record's texts are most of the page. In elements of their own they lie where the parser put them, and only those that
 * somebody looks at are ever read; inside the JSON all of them would be in memory two and three times.
 */
function takenApart(data: PackedRecord): {
  readonly record: PackedRecord
  readonly texts: readonly string[]
} {
  const texts: string[] = []
  const put = (text: string): string => idOf(texts.push(text) - 1)
  const runs = data.runs.map((run) => ({
    ...run,
    index: run.index === "" ? "" : put(run.index),
    blocks: run.blocks.map(put),
  }))
  return { record: { ...data, runs }, texts }
}

function idOf(text: number): string {
  return `text-${text}`
}
