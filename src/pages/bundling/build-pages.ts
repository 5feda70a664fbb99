/** `npm run build:pages`: builds everything that pages need, so that a package needs no bundler. */

import { rmSync } from "node:fs"
import { registeredCharts } from "../chart/registered-machine.ts"
import { PAGES, PROGRAM, pageBundle } from "./build.ts"
import { BUILT } from "./cache.ts"
import { pictureOf } from "./chart-pictures.ts"

rmSync(BUILT, { recursive: true, force: true })
for (const page of PAGES) await pageBundle(page, { ...PROGRAM, folder: BUILT })
for (const chart of registeredCharts()) {
  const { problem } = await pictureOf(chart, BUILT)
  if (problem !== null) throw new Error(`the chart of ${chart.id} cannot be drawn: ${problem}`)
}
