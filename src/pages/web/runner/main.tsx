/** The runner's page, an installable application that works without network. */

import "../design/design.css"
import "./runner.css"
import { App } from "./app.tsx"
import { allowSoundAtFirstTouch } from "./signal.ts"
import { show } from "../show.tsx"

show(<App />)
allowSoundAtFirstTouch()
if ("serviceWorker" in navigator) {
  void navigator.serviceWorker.register("/runner/worker.js", { scope: "/runner" })
}
