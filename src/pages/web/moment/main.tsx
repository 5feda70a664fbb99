/** The entry point of the page: shows the answer in it. */

import type { MomentData } from "../../inspection/moment-data.ts"
import { pageData } from "../page-data.ts"
import { show } from "../show.tsx"
import { MomentPage } from "./moment-page.tsx"
import "../components/chart-picture.css"
import "../components/compact-chart.css"
import "../components/play-controls.css"
import "../design/design.css"
import "./moment.css"

show(<MomentPage data={pageData<MomentData>()} />)
