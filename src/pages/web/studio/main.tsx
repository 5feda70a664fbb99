/** The entry point of the page. */

import { keepFocus } from "../components/kept-focus.ts"
import { Empty } from "../design/feedback.tsx"
import { pageData } from "../page-data.ts"
import { show } from "../show.tsx"
import { App } from "./app.tsx"
import { Client, takenToken } from "./client.ts"
import "../components/compact-chart.css"
import "../design/design.css"
import "../components/number-sliders.css"
import "../components/play-controls.css"
import "./studio.css"

keepFocus()
const { nonce } = pageData<{ readonly nonce: string }>()
const token = takenToken()
show(
  token === null ? (
    <main>
      <Empty title="This address has no token">
        Open the whole address that "npx curbline studio" printed.
      </Empty>
    </main>
  ) : (
    <App client={new Client(token)} nonce={nonce} />
  ),
)
