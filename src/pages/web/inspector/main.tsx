/** The entry point of the page: reads the record in it. */

import { render } from "preact"
import type { JSX } from "preact"
import type { PackedRecord } from "../../inspection/packed.ts"
import { App } from "./app.tsx"
import { LiveApp } from "./live.tsx"
import { LocalPaths } from "./source.tsx"
import "../components/chart-picture.css"
import "../components/compact-chart.css"
import "../design/design.css"
import "./inspector.css"

const page = document.querySelector("#page")
if (page !== null) render(<Page record={recordInPage()} />, page)

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
