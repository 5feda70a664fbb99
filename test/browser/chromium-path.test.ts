/** Which Chromium the tests of pages use, on a machine without one and on machines with some. */

import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { chromiumPath } from "./chromium-path.ts"
import type { Machine } from "./chromium-path.ts"

const MAC_APPLICATION = "Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
const MAC_DOWNLOAD = "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing"

interface Made extends Machine {
  readonly install: (path: string) => string
}

/** A machine whose files are the ones that the test installs. */
function machine(env: (top: string) => Machine["env"] = () => ({})): Made {
  const top = mkdtempSync(join(tmpdir(), "curbline-machine-"))
  const install = (path: string): string => {
    const file = join(top, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, "")
    chmodSync(file, 0o755)
    return file
  }
  return { env: env(top), home: join(top, "home"), root: top, install }
}

describe("a Chromium for the tests of pages", () => {
  test("is the one that CHROMIUM_PATH names, before any other", () => {
    const made = machine((top) => ({ CHROMIUM_PATH: join(top, "own/chrome"), PATH: join(top, "bin") }))
    made.install("bin/chromium")
    const own = made.install("own/chrome")
    expect(chromiumPath(made)).toBe(own)
  })

  test("is not silently another one when CHROMIUM_PATH names no program", () => {
    const made = machine((top) => ({ CHROMIUM_PATH: join(top, "own/chrome"), PATH: join(top, "bin") }))
    made.install("bin/chromium")
    expect(() => chromiumPath(made)).toThrow(/^CHROMIUM_PATH names .*own\/chrome, which is no program/)
  })

  test("is found by its name on the PATH", () => {
    const made = machine((top) => ({ PATH: `${join(top, "empty")}:${join(top, "bin")}` }))
    const chromium = made.install("bin/chromium")
    expect(chromiumPath(made)).toBe(chromium)
  })

  test("is the one without a window, if there are both", () => {
    const made = machine((top) => ({ PATH: join(top, "bin") }))
    made.install("bin/chromium")
    const shell = made.install("bin/chromium-headless-shell")
    expect(chromiumPath(made)).toBe(shell)
  })

  test.each([
    ["the machine's applications", ""],
    ["the user's own applications", "home/"],
  ])("is found among %s on macOS", (_, top) => {
    const made = machine()
    const application = made.install(`${top}${MAC_APPLICATION}`)
    expect(chromiumPath(made)).toBe(application)
  })

  test.each([
    ["Linux", "home/.cache/ms-playwright", "chrome-linux/chrome"],
    ["macOS", "home/Library/Caches/ms-playwright", MAC_DOWNLOAD],
  ])("is the newest that Playwright has downloaded on %s", (_, cache, file) => {
    const made = machine()
    made.install(`${cache}/chromium-999/${file}`)
    made.install(`${cache}/firefox-2000/${file}`)
    const newest = made.install(`${cache}/chromium-1200/${file}`)
    expect(chromiumPath(made)).toBe(newest)
  })

  test("is found where PLAYWRIGHT_BROWSERS_PATH leads", () => {
    const made = machine((top) => ({ PLAYWRIGHT_BROWSERS_PATH: join(top, "browsers") }))
    const downloaded = made.install("browsers/chromium-1200/chrome-linux64/chrome")
    expect(chromiumPath(made)).toBe(downloaded)
  })

  test("is asked for in one line where there is none", () => {
    expect(() => chromiumPath(machine())).toThrow(
      /^no Chromium on this machine: run `npx playwright-core install chromium`[^\n]*CHROMIUM_PATH[^\n]*$/,
    )
  })
})
