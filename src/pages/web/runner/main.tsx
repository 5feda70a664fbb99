/** The runner's page, an installable application that works without network. */

import "../design/design.css"
import "./runner.css"
import { render } from "preact"
import { keepFocus } from "../components/kept-focus.ts"
import { App } from "./app.tsx"
import { allowSoundAtFirstTouch } from "./signal.ts"

keepFocus()
const place = document.getElementById("page")
if (place !== null) render(<App />, place)
allowSoundAtFirstTouch()
if ("serviceWorker" in navigator) {
  void navigator.serviceWorker.register("/runner/worker.js", { scope: "/runner" })
}
