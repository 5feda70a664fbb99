/** The entry point of the page. */

import { keepFocus } from "../components/kept-focus.ts"
import { Empty } from "../design/feedback.tsx"
import { pageData } from "../page-data.ts"
import { show } from "../show.tsx"
import { Client, StudioFault, takenToken } from "../studio/client.ts"
import { ReplayPage } from "./replay-page.tsx"
import type { ReplayWorker } from "./session.ts"
import type { ReplayData, ReplaySource } from "./source.ts"
import "../design/design.css"
import "../components/compact-chart.css"
import "../components/number-sliders.css"
import "./replay.css"

keepFocus()
const { worker, run } = pageData<ReplayData>()
const start = (): ReplayWorker => new Worker(worker, { type: "module" })

if (run !== null) show(<ReplayPage source={{ run, home: null }} start={start} />)
else void showOfStudio()

async function showOfStudio(): Promise<void> {
  const token = takenToken()
  const fields = new URLSearchParams(location.hash.slice(1))
  const file = fields.get("file")
  if (token === null || file === null) {
    show(
      <main>
        <Empty title={token === null ? "This address has no token" : "This address names no model"}>
          Open the address that "npx curbline studio" printed, choose a model under Fleets, then Replay.
        </Empty>
      </main>,
    )
    return
  }
  const seed = fields.get("seed")
  try {
    const source: ReplaySource = {
      run: await new Client(token).replaySource(file, seed === null ? null : Number(seed)),
      home: `/#fleet=${encodeURIComponent(file)}`,
    }
    document.title = `${file} · Fleet replay`
    show(<ReplayPage source={source} start={start} />)
  } catch (cause) {
    if (!(cause instanceof StudioFault)) throw cause
    show(
      <main>
        <Empty title="The model cannot be opened">{cause.message}</Empty>
      </main>,
    )
  }
}
