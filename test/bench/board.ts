/**
 * From a change to the board of a site in a browser: `npm run bench -- board`, `--quick` for fewer changes. The service is another
 * process, on the embedded database and on PostgreSQL. Wanted: a change is seen within a second of the answer to its command.
 */

import { setTimeout as after } from "node:timers/promises"
import type { Browser, Page } from "playwright-core"
import { SECOND_MS } from "../../src/model/values/time.ts"
import { openPage, startChromium } from "../browser/chromium.ts"
import { booking, call, dataFolder, preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { printMachine } from "./machine-line.ts"

const CHANGES = process.argv.includes("--quick") ? 20 : 100
/** Longer than the stream's interval, so that changes fall at any moment of it. */
const PAUSE_MS_MAX = 1_700
const WANTED_MS = SECOND_MS

export async function benchBoard(): Promise<void> {
  printMachine()
  console.log(`${CHANGES} changes each; ms from the answer to a command until the board shows it\n`)
  const browser = await startChromium()
  const postgres = await startServer()
  try {
    await measured("embedded database", browser, await startProcess(preparedDataFolder()))
    const env = { DATABASE_URL: postgres.url, CURBLINE_SECRET: "s".repeat(32) }
    const words = ["--demo"]
    await measured("PostgreSQL", browser, await startProcess(dataFolder(), undefined, { env, words }))
  } finally {
    await browser.close()
    await postgres.stop()
  }
}

async function measured(database: string, browser: Browser, service: ServiceProcess): Promise<void> {
  try {
    const { production } = service.access
    const asked = booking(production, "http://127.0.0.1:9/open", "B-1")
    const { body } = await call(production, "POST", "/rs/v1/reservations", asked)
    const path = `/internal/v1/reservations/${body.data.reservation.reservation_id}/exceptions`
    const operator = { ...production, api_key: production.operator_token }
    const page = await boardIn(browser, service)
    const took: number[] = []
    for (let count = 0; count < CHANGES; count += 1) {
      await after(Math.random() * PAUSE_MS_MAX)
      const isRaised = count % 2 === 0
      const seen = seenAtMs(page, isRaised)
      const flag = { reason_code: "stall_blocked" }
      const { status } = isRaised
        ? await call(operator, "POST", path, flag)
        : await call(operator, "DELETE", `${path}?reason_code=stall_blocked`)
      const answeredAtMs = Date.now()
      if (status !== 200) throw new Error(`the change was answered with ${status}`)
      took.push((await seen) - answeredAtMs)
    }
    print(database, took)
  } finally {
    await service.stop()
  }
}

async function boardIn(browser: Browser, service: ServiceProcess): Promise<Page> {
  const { production } = service.access
  const { page } = await openPage(browser, service.urls.production)
  await page.goto(`${service.urls.production}/ops/sites/${production.site_id}`)
  await page.getByRole("button", { name: "Use an operator token" }).click()
  await page.getByLabel("Operator token").fill(production.operator_token)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByText("Live", { exact: true }).waitFor()
  return page
}

/** When the heading of the page says that something needs help, or no longer; both have the machine's clock. */
function seenAtMs(page: Page, needsHelp: boolean): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const watcher = new MutationObserver(() => {
      const heading = document.querySelector(".board-head h1")?.textContent ?? ""
      if (heading.includes("needs help") !== ${needsHelp}) return
      watcher.disconnect()
      resolve(Date.now())
    })
    watcher.observe(document.body, { subtree: true, childList: true, characterData: true })
  })`)
}

function print(database: string, took: readonly number[]): void {
  const sorted = took.toSorted((one, other) => one - other)
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
  const late = took.filter((ms) => ms > WANTED_MS).length
  console.log(
    `${database}: median ${at(0.5)}, 95 % ${at(0.95)}, longest ${at(1)}; ${late} of ${took.length} took longer than ${WANTED_MS}`,
  )
}
