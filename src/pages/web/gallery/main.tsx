/** `/design`: every component in its states, to look at and to try by keyboard. */

import "../design/design.css"
import "./gallery.css"
import { Gallery } from "./gallery.tsx"
import { show } from "../show.tsx"

show(<Gallery />)
