/** The start page of a host. */

import "../design/design.css"
import "../components/map.css"
import "../components/play-controls.css"
import "../replay/replay.css"
import "../replay/show.css"
import "./start.css"
import { pageData } from "../page-data.ts"
import { StartPage } from "./start-page.tsx"
import type { StartData } from "./start-data.ts"
import { show } from "../show.tsx"

show(<StartPage data={pageData<StartData>()} />)
