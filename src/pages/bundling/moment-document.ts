/** The page "When was it lost?" as one HTML file that opens without a network. */

import { jsonElement, writtenPage } from "../html/page-frame.ts"
import type { WrittenPage } from "../html/page-frame.ts"
import { raw } from "../html/markup.ts"
import type { MomentAnswerJson } from "../../model/requests/moment-answer.ts"
import { chartOf } from "../chart/chart-document.ts"
import { machineNamed } from "../chart/registered-machine.ts"
import type { MomentData } from "../inspection/moment-data.ts"
import type { PageBundle } from "./build.ts"

interface MomentFileParts {
  readonly bundle: PageBundle
  readonly answer: MomentAnswerJson
  /** Name of the record's file, without its folder. */
  readonly record: string
}

export function momentFile({ bundle, answer, record }: MomentFileParts): WrittenPage {
  const machine = machineNamed(answer.figures?.waiting?.machine ?? "")
  const chart = machine === null ? null : chartOf(machine.id, machine.machine)
  const data: MomentData = { record, answer, chart }
  return writtenPage({
    title: `When was it lost? · ${record}`,
    style: bundle.style,
    body: raw(`<div id="page"></div>\n${jsonElement("data", data).html}`),
    scripts: [{ text: bundle.script, isModule: true }],
    isFile: true,
  })
}
