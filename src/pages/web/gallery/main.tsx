/** `/design`: every component in its states, to look at and to try by keyboard. */

import "../design/design.css"
import "./gallery.css"
import { render } from "preact"
import { Gallery } from "./gallery.tsx"

const place = document.getElementById("page")
if (place !== null) render(<Gallery />, place)
