/** The entry point of the page. */

import { render } from "preact"
import { keepFocus } from "../components/kept-focus.ts"
import { Empty } from "../design/feedback.tsx"
import { writeAddress } from "../own-address.ts"
import { inflatedText } from "../inflated.ts"
import { pageData } from "../page-data.ts"
import { opsData } from "../ops/session.ts"
import { watchInput } from "../session-watch.ts"
import { show } from "../show.tsx"
import { Client, StudioFault, takenToken } from "../studio/client.ts"
import { ReplayPage } from "./replay-page.tsx"
import type { ReplayWorker } from "./session.ts"
import { ReplayShow } from "./show.tsx"
import { TodayPage } from "./today/today-page.tsx"
import type { ReplayData } from "../../../model/replay/replay-data.ts"
import type { ReplaySource } from "./source.ts"
import "../design/design.css"
import "../components/compact-chart.css"
import "../components/number-sliders.css"
import "../components/play-controls.css"
import "./replay.css"
import "./show.css"
import "./today/today.css"

/** In a report it plays inside of the first section, until its address names an instant. */
const place = document.getElementById("replay-show")?.shadowRoot?.querySelector(".place") ?? null

void open()

async function open(): Promise<void> {
  const inside = document.getElementById("replay-data") === null ? "data" : "replay-data"
  const { worker, run, saves, moment, inspector = null, today = false } = pageData<ReplayData>(inside)
  if (today) return showToday()
  const start = await starterOf(worker)
  if (place !== null && run !== null)
    return render(<ReplayShow run={run} start={start} badge={`Seed ${run.seed ?? 1}`} page="" />, place)
  keepFocus()
  if (run === null) return showOfStudio(start, inspector)
  if (moment !== undefined && location.hash === "") writeAddress(moment)
  const save =
    saves === undefined ? null : (at: string) => savedBy(`${saves}?moment=${encodeURIComponent(at)}`)
  return show(<ReplayPage source={{ run, home: null, inspector, save }} start={start} />)
}

function showToday(): void {
  watchInput()
  keepFocus()
  // `/ops/sites/ID/replay`
  const [, , , siteId = ""] = location.pathname.split("/").map(decodeURIComponent)
  show(<TodayPage siteId={siteId} environment={opsData().environment} />)
}

/** Rejects with what the host said. */
async function savedBy(path: string): Promise<Blob> {
  const answer = await fetch(path)
  if (!answer.ok) throw new Error(`the host answered ${answer.status}`)
  return answer.blob()
}

async function starterOf(path: string | null): Promise<() => ReplayWorker> {
  if (path !== null) return () => new Worker(path, { type: "module" })
  const script = new Blob([await inflatedText("replay-worker")], { type: "text/javascript" })
  const url = URL.createObjectURL(script)
  return () => new Worker(url)
}

async function showOfStudio(start: () => ReplayWorker, inspector: string | null): Promise<void> {
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
  const client = new Client(token)
  const asked = { path: file, seed: seed === null ? null : Number(seed) }
  try {
    const source: ReplaySource = {
      run: await client.replaySource(asked),
      save: (moment) => client.savedReplay({ ...asked, moment }),
      inspector,
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
