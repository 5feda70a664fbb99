/** Takes the moving picture of the README, part of `npm run screens`: the demo's lunch on the page "Fleet replay". */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { serveReplay } from "../../src/cli/fleets/fleet-watch.ts"
import { replayRequest } from "../../src/simulation/fleet/replay/replay-request.ts"
import { ROOT } from "../cli/command-line.ts"
import { writtenSpan } from "../../src/pages/web/replay/address.ts"
import { animatedWebp } from "./animated-webp.ts"
import { openPage, startChromium } from "./chromium.ts"

const SIZE = { width: 1280, height: 720 }
const FRAMES = 36
const FRAME_MS = 120
/** Virtual time between two pictures. */
const STEP_MS = 12_000
const FROM_MS = 92 * 60_000
const QUALITY = 0.45
const DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
const FOLDER = join(ROOT, "src/pages/web/screens")
const FLEETS = join(ROOT, "scenarios/fleets")

const textOf = (name: string): string => readFileSync(join(FLEETS, name), "utf8")
const run = replayRequest({ file: "demo-lunch.yaml", text: textOf("demo-lunch.yaml"), seed: null }, textOf)
const [server, browser] = await Promise.all([serveReplay(run, "The demo's lunch"), startChromium()])
try {
  const { page } = await openPage(browser, new URL(server.url).origin, { viewport: SIZE })
  await page.goto(`${server.url}#t=${writtenSpan(FROM_MS)}`)
  await page.locator("[data-digest]").waitFor({ state: "attached" })
  const drawing = await browser.newPage()
  const pictures: Buffer[] = []
  for (let frame = 0; frame < FRAMES; frame += 1) {
    await page.evaluate(`location.hash = "t=${writtenSpan(FROM_MS + frame * STEP_MS)}"`)
    await page.evaluate(DRAWN)
    pictures.push(await webpOf(drawing, await page.screenshot()))
  }
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, "replay.webp"), animatedWebp(pictures, { ...SIZE, frameMs: FRAME_MS }))
} finally {
  await browser.close()
  await server.close()
}

/** The picture as the browser writes it. */
async function webpOf(page: Page, png: Buffer): Promise<Buffer> {
  const written = await page.evaluate<string>(`(async () => {
    const image = new Image()
    image.src = "data:image/png;base64,${png.toString("base64")}"
    await image.decode()
    const canvas = document.createElement("canvas")
    canvas.width = image.width
    canvas.height = image.height
    canvas.getContext("2d", { alpha: false }).drawImage(image, 0, 0)
    return canvas.toDataURL("image/webp", ${QUALITY})
  })()`)
  return Buffer.from(written.replace(/^.*,/, ""), "base64")
}
