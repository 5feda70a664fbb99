/** The runner's page, an installable application that works without network. */

import "../design/design.css"
import "./runner.css"
import { keepFocus } from "../components/kept-focus.ts"
import { App } from "./app.tsx"
import { allowSoundAtFirstTouch } from "./signal.ts"
import { show } from "../show.tsx"

keepFocus()
show(<App />)
allowSoundAtFirstTouch()
if ("serviceWorker" in navigator) {
  void navigator.serviceWorker.register("/runner/worker.js", { scope: "/runner" })
}
