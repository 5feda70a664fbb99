/** What is current can be told from the rest in a palette of the reader's own, on each application. The inspector's is tested in `test/pages/inspection/page.test.ts`. */

import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { booking, call, preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { boardOver } from "./board-service.ts"
import { drawn, openPage, startChromium } from "./chromium.ts"
import { signUp } from "./portal-account.ts"
import { studioInBrowser } from "./studio-page.ts"

const FORCED = { forcedColors: "active", viewport: { width: 1440, height: 900 } } as const

const folder = mkdtempSync(join(tmpdir(), "curbline-forced-"))
for (const name of ["one", "two"])
  writeFileSync(
    join(folder, `${name}.yaml`),
    `scenario: The ${name} visit\nbecause: It is the shortest.\nsteps:\n  - { at: 12:00, do: retailer.lists, as: lists }\n`,
  )
const studio = studioInBrowser(folder)

let browser: Browser
let service: ServiceProcess

const { openBoard, booked } = boardOver(
  () => browser,
  () => service,
)

beforeAll(async () => {
  ;[browser, service] = await Promise.all([
    startChromium(),
    startProcess(preparedDataFolder(), undefined, {
      words: ["--allow-local-targets", "--fleet-speed", "off"],
    }),
  ])
})
afterAll(async () => {
  await browser.close()
  await service.stop()
})

interface Current {
  /** The element with its attributes. */
  readonly what: string
  /** False when another one of its kind looks like it. */
  readonly isApart: boolean
}

/** Each current item that is shown with others of its kind. A border does not count: a transparent one is drawn in a forced palette. */
const CURRENT_ITEMS = `(() => {
  document.activeElement?.blur()
  const selectors = [
    ['[aria-current]:not([aria-current="false"])', (element) => element.tagName + ':not([aria-current]), ' + element.tagName + '[aria-current="false"]'],
    ['[aria-pressed="true"]', () => '[aria-pressed="false"]'],
    ['[aria-selected="true"]', () => '[aria-selected="false"]'],
    ['tr.selected', () => 'tbody tr:not(.selected)'],
  ]
  const isShown = (element) => element.getClientRects().length > 0
  const backgroundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor
      if (!/, 0\\)$/.test(color)) return color
    }
    return 'none'
  }
  const lookOf = (element) => {
    const { outlineStyle, outlineColor } = getComputedStyle(element)
    return backgroundOf(element) + ' ' + (outlineStyle === 'none' ? '' : outlineStyle + outlineColor)
  }
  const otherOf = (element, selector) => {
    let around = element.parentElement
    for (let level = 0; level < 4 && around !== null; level += 1, around = around.parentElement) {
      const other = [...around.querySelectorAll(selector)].find((one) => isShown(one) && one !== element && !element.contains(one))
      if (other !== undefined) return other
    }
    return null
  }
  return selectors.flatMap(([current, others]) =>
    [...document.querySelectorAll(current)].filter(isShown).flatMap((element) => {
      const other = otherOf(element, others(element))
      return other === null ? [] : [{ what: element.outerHTML.slice(0, 100), isApart: lookOf(element) !== lookOf(other) }]
    }))
})()`

/** What is wrong: current items that look like others, or fewer of them than the page has. */
async function alikeIn(page: Page, least = 1): Promise<readonly string[]> {
  const items = await page.evaluate<readonly Current[]>(CURRENT_ITEMS)
  const few = items.length < least ? [`only ${items.length} current items are beside others`] : []
  return [...few, ...items.filter(({ isApart }) => !isApart).map(({ what }) => what)]
}

test("in the portal: navigation, tabs and chips", async () => {
  const origin = service.urls.production
  const { page, close } = await openPage(browser, origin, FORCED)
  await signUp(page, service, { origin })
  for (const path of ["/portal", "/portal/requests", "/portal/webhooks", "/portal/analytics"]) {
    await page.goto(`${origin}${path}`)
    await page.getByRole("heading", { level: 1 }).waitFor()
    await drawn(page)
    expect(await alikeIn(page)).toEqual([])
  }
  await close()
})

test("on the pages of operations: navigation, settings, lists, and what is open on the board", async () => {
  const id = await booked("FORCED-1")
  await booked("FORCED-2")
  const { page, close } = await openBoard()
  await page.emulateMedia({ forcedColors: "active" })
  await page.getByRole("button", { name: /FORCED-1/ }).click()
  await page.locator(`[data-opens="${id}"][aria-pressed="true"]`).first().waitFor()
  expect(await alikeIn(page, 2)).toEqual([])
  for (const path of ["/ops/lists/deliveries", "/ops/settings"]) {
    await page.goto(`${service.urls.production}${path}`)
    await page.getByRole("heading", { level: 1 }).waitFor()
    await drawn(page)
    expect(await alikeIn(page, 1)).toEqual([])
  }
  await close()
})

test("on the runner's phone: the step of the task", async () => {
  const { production } = service.access
  const origin = service.urls.production
  const operator = { ...production, api_key: production.operator_token }
  const site = `/internal/v1/sites/${production.site_id}`
  await call(production, "POST", "/rs/v1/reservations", booking(production, "http://127.0.0.1:9/open", "F-3"))
  const { body } = await call(operator, "POST", `${site}/pairings`, { runner_name: "Maya R." })
  const { page, close } = await openPage(browser, origin, {
    ...FORCED,
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  await page.goto(`${origin}${(body.data as unknown as { pairing: { path: string } }).pairing.path}`)
  await page
    .getByRole("button", { name: /^Take the task/ })
    .first()
    .click()
  await page.getByRole("link", { name: /^Go on with/ }).click()
  await page.locator('[aria-current="step"]').waitFor()
  expect(await alikeIn(page)).toEqual([])
  await close()
})

test("in components: tabs, rows and steps; and how far a bar has come", async () => {
  const { page, close } = await openPage(browser, service.urls.sandbox, FORCED)
  await page.goto(`${service.urls.sandbox}/design`)
  await page.getByRole("heading", { name: "Components" }).waitFor()
  expect(await alikeIn(page, 4)).toEqual([])
  await page.evaluate(`document.body.insertAdjacentHTML('beforeend',
    '<div class="meter good"><i class="on"></i><i></i></div><progress max="2" value="1"></progress>')`)
  const [on, off] = await page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('.meter i')].map((part) => getComputedStyle(part).backgroundColor)`,
  )
  expect(on).not.toBe(off)
  const picture = await page.locator("progress").screenshot()
  // A quarter and three quarters of the way: the bar is half full.
  const [full, empty] = await page.evaluate<readonly string[]>(`(async () => {
    const picture = await createImageBitmap(new Blob([Uint8Array.from(${JSON.stringify([...picture])})]))
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d")
    context.drawImage(picture, 0, 0)
    const at = (share) => [...context.getImageData(picture.width * share, picture.height / 2, 1, 1).data].join()
    return [at(0.25), at(0.75)]
  })()`)
  expect(full).not.toBe(empty)
  await close()
})

test("in the studio: areas, views, chips and the open file", async () => {
  const { page, close } = await studio.open("&file=one.yaml", FORCED)
  await page.locator('.file[aria-current="true"]').waitFor()
  expect(await alikeIn(page, 2)).toEqual([])
  await close()
})
