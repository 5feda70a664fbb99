/** The picture of a chart in a page: laid out here once for each chart, and cached. */

import { readFileSync } from "node:fs"
import type { ChartDocument } from "../chart/chart-document.ts"
import { registeredCharts } from "../chart/registered-machine.ts"
import { sourceLinesOf } from "../chart/machine-lines.ts"
import type { ChartPicture } from "../inspection/packed.ts"
import { isKept, kept } from "./cache.ts"

/** The drawing code: when it changes, every chart is drawn again. */
const DRAWN_BY = ["svg.ts", "layout.ts", "text-size.ts", "condition.ts"]

/** The picture of all transitions, or the reason why there is none. Cost: 0.1 to 0.5 s for a new chart. */
export async function pictureOf(
  chart: ChartDocument,
  folder?: string,
): Promise<Pick<ChartPicture, "picture" | "problem">> {
  try {
    return { picture: await drawn(chart, folder), problem: null }
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    return { picture: null, problem }
  }
}

async function drawn(chart: ChartDocument, folder: string | undefined): Promise<string> {
  const make = async (): Promise<string> => {
    // Loaded on demand: the layout engine is larger than the rest of the command.
    const { layoutOf } = await import("../chart/layout.ts")
    const { svgOf } = await import("../chart/svg.ts")
    return svgOf(chart, await layoutOf(chart), { hasStyle: false })
  }
  return kept({ kind: "chart", from: sourcesOf(chart), make, ...(folder === undefined ? {} : { folder }) })
}

/** Every machine of the registry. */
export async function programPictures(): Promise<readonly ChartPicture[]> {
  const pictures: ChartPicture[] = []
  for (const chart of registeredCharts())
    pictures.push({ chart, isFromProgram: false, lines: sourceLinesOf(chart), ...(await pictureOf(chart)) })
  return pictures
}

/** False if a picture failed: the next drawing may succeed. */
export function areAllDrawn(pictures: readonly ChartPicture[]): boolean {
  return pictures.every(({ picture }) => picture !== null)
}

export function isPictureKept(chart: ChartDocument): boolean {
  return isKept({ kind: "chart", from: sourcesOf(chart) })
}

function sourcesOf(chart: ChartDocument): string {
  const drawnBy = DRAWN_BY.map((file) => readFileSync(new URL(`../chart/${file}`, import.meta.url), "utf8"))
  return [...drawnBy, JSON.stringify(chart)].join("\n")
}
