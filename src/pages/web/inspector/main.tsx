/** The entry point of the page: reads the record in it. */

import type { JSX } from "preact"
import type { PackedRecord } from "../../inspection/packed.ts"
import { App } from "./app.tsx"
import { showLoaded } from "../show.tsx"
import { LiveApp } from "./live.tsx"
import { LocalPaths } from "./source.tsx"
import "../components/chart-picture.css"
import "../components/compact-chart.css"
import "../components/play-controls.css"
import "../design/design.css"
import "./inspector.css"

void showLoaded(opened(recordInPage()))

/** The charts of the running service are a file of their own. */
async function opened(record: PackedRecord): Promise<JSX.Element> {
  const { chartsPath } = record
  if (chartsPath === undefined) return <Page record={record} />
  const charts = (await (await fetch(chartsPath)).json()) as PackedRecord["charts"]
  return <Page record={{ ...record, charts }} />
}

function Page({ record }: { readonly record: PackedRecord }): JSX.Element {
  return (
    <LocalPaths.Provider value={record.localPaths ?? {}}>
      {record.live === undefined ? <App record={record} /> : <LiveApp record={record} live={record.live} />}
    </LocalPaths.Provider>
  )
}

/** The element is removed after reading, because its text has megabytes. */
function recordInPage(): PackedRecord {
  const element = document.querySelector("#data")
  const record = JSON.parse(element?.textContent ?? "null") as PackedRecord
  element?.remove()
  return record
}
