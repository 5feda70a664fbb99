/**
 * The inspector's page as one HTML text with its bundle and its data. A file of it needs nothing else. Another page can have the
 * inspector inside, compressed.
 */

import { jsonElement, writtenPage } from "../html/page-frame.ts"
import type { WrittenPage } from "../html/page-frame.ts"
import { raw } from "../html/markup.ts"
import type { Html } from "../html/markup.ts"
import type { PackedRecord } from "../inspection/packed.ts"
import type { PageBundle } from "./build.ts"
import { compressed } from "./record-file.ts"

export interface PageFileParts {
  readonly title: string
  readonly bundle: PageBundle
  /** JSON of the page's element `data`; compressed texts have elements of their own. */
  readonly data: PackedRecord
}

export function pageFile({ bundle, data, ...same }: PageFileParts): WrittenPage {
  const { record, texts } = takenApart(data)
  const body = [
    '<div id="page"></div>',
    jsonElement("data", record).html,
    ...texts.map((text, number) => textElement(idOf(number), text)),
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
 * The inspector inside of another page, whose script opens it: elements `inspector-script`, `inspector-style` and
 * `inspector-data`, compressed, and those of the record's texts.
 */
export function insidePage(bundle: PageBundle, data: PackedRecord): Html {
  const { record, texts } = takenApart(data)
  return raw(
    [
      textElement("inspector-script", compressed(bundle.script)),
      textElement("inspector-style", compressed(bundle.style)),
      textElement("inspector-data", compressed(JSON.stringify(record))),
      ...texts.map((text, number) => textElement(idOf(number), text)),
    ].join("\n"),
  )
}

export function textElement(id: string, text: string): string {
  return `<script type="text/plain" id="${id}">${text}</script>`
}

/**
 * Most of a page with a long record are its texts. In elements of their own they stay unparsed until a view needs them;
 * inside the JSON all of them would be in memory two or three times.
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
