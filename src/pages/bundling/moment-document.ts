/** The page "When was it lost?" as one HTML text: with its answer, as a file; or served while a host counts. */

import { jsonElement, writtenPage } from "../html/page-frame.ts"
import type { PageParts, WrittenPage } from "../html/page-frame.ts"
import { raw } from "../html/markup.ts"
import type { MomentAnswerJson } from "../../model/requests/moment-answer.ts"
import { chartOf } from "../chart/chart-document.ts"
import { machineNamed } from "../chart/registered-machine.ts"
import type { CountingData, MomentData } from "../inspection/moment-data.ts"
import type { PageBundle } from "./build.ts"

interface Answered {
  readonly answer: MomentAnswerJson
  /** Name of the record's file, without its folder. */
  readonly record: string
}

export function momentFile({ bundle, ...answered }: Answered & { readonly bundle: PageBundle }): WrittenPage {
  return pageOf(bundle, momentData(answered), { isFile: true })
}

/** The answer with what the page draws. */
export function momentData({ answer, record }: Answered): MomentData {
  const machine = machineNamed(answer.figures?.waiting?.machine ?? "")
  return { record, answer, chart: machine === null ? null : chartOf(machine.id, machine.machine) }
}

/** Asks its host until the answer is there. */
export function countingPage({
  bundle,
  record,
}: Pick<Answered, "record"> & { readonly bundle: PageBundle }): WrittenPage {
  return pageOf(bundle, { record, answer: null }, { connects: true })
}

function pageOf(
  bundle: PageBundle,
  data: CountingData | MomentData,
  parts: Pick<PageParts, "connects" | "isFile">,
): WrittenPage {
  return writtenPage({
    ...parts,
    title: `When was it lost? · ${data.record}`,
    style: bundle.style,
    body: raw(`<div id="page"></div>\n${jsonElement("data", data).html}`),
    scripts: [{ text: bundle.script, isModule: true }],
  })
}
