/** The entry point of the page: shows the answer in it, or asks its host for it. */

import type { CountingData, MomentData } from "../../inspection/moment-data.ts"
import { pageData } from "../page-data.ts"
import { show } from "../show.tsx"
import { CountingPage } from "./counting.tsx"
import { MomentPage } from "./moment-page.tsx"
import "../components/chart-picture.css"
import "../components/compact-chart.css"
import "../components/play-controls.css"
import "../design/design.css"
import "./moment.css"

const data = pageData<CountingData | MomentData>()
show(data.answer === null ? <CountingPage {...data} /> : <MomentPage data={data} />)
