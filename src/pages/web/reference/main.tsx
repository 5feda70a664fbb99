/** `/docs`: the API documents of a host. */

import "../design/design.css"
import "./reference.css"
import { readDemoClock } from "../demo-clock.ts"
import { pageData } from "../page-data.ts"
import type { ReferenceData } from "./reference-data.ts"
import { ReferencePage } from "./reference-page.tsx"
import { show } from "../show.tsx"

async function open(): Promise<void> {
  const data = pageData<ReferenceData>()
  // Instants of examples are moved to the demo's present.
  if (data.environment === "sandbox" && data.demo !== null) await readDemoClock(data.demo.api_key)
  show(<ReferencePage data={data} />)
}

void open()
