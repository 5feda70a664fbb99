/** `npm run build:pages`: builds everything that pages need, so that a package needs no bundler. */

import { rmSync } from "node:fs"
import { PAGES, PROGRAM, pageBundle } from "../../pages/bundling/build.ts"
import { BUILT } from "../../pages/bundling/cache.ts"
import { pictureOf } from "../../pages/bundling/chart-pictures.ts"
import { workerScript } from "../../pages/bundling/worker-bundle.ts"
import { registeredCharts } from "../../pages/chart/registered-machine.ts"
import { REPLAY_WORKER } from "./replay-bundle.ts"

rmSync(BUILT, { recursive: true, force: true })
for (const page of PAGES) await pageBundle(page, { ...PROGRAM, folder: BUILT })
await workerScript(REPLAY_WORKER, BUILT)
for (const chart of registeredCharts()) {
  const { problem } = await pictureOf(chart, BUILT)
  if (problem !== null) throw new Error(`the chart of ${chart.id} cannot be drawn: ${problem}`)
}
