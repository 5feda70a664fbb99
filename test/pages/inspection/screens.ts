/** Takes the screenshots of the README: `npm run screens`. */

import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { startChromium } from "../../browser/chromium.ts"
import { readmePicture } from "./readme-picture.ts"

const FOLDER = fileURLToPath(new URL("../../../src/pages/web/screens/", import.meta.url))

mkdirSync(FOLDER, { recursive: true })
const [browser, open] = await Promise.all([startChromium(), readmePicture()])
try {
  for (const colors of ["light", "dark"] as const) {
    const { page } = await open(browser, colors)
    writeFileSync(`${FOLDER}inspector-${colors}.png`, await page.screenshot())
  }
} finally {
  await browser.close()
}
