/** The start page of a host. */

import "../design/design.css"
import "../components/map.css"
import "./start.css"
import { render } from "preact"
import { pageData } from "../page-data.ts"
import { StartPage } from "./start-page.tsx"
import type { StartData } from "./start-data.ts"

const place = document.getElementById("page")
if (place !== null) render(<StartPage data={pageData<StartData>()} />, place)
