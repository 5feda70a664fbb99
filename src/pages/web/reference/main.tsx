/** `/docs`: the API documents of a host. */

import "../design/design.css"
import "./reference.css"
import { render } from "preact"
import { readDemoClock } from "../demo-clock.ts"
import { pageData } from "../page-data.ts"
import type { ReferenceData } from "./reference-data.ts"
import { ReferencePage } from "./reference-page.tsx"

async function show(place: HTMLElement): Promise<void> {
  const data = pageData<ReferenceData>()
  // Instants of examples are moved to the demo's present.
  if (data.environment === "sandbox" && data.demo !== null) await readDemoClock(data.demo.api_key)
  render(<ReferencePage data={data} />, place)
}

const place = document.getElementById("page")
if (place !== null) void show(place)
