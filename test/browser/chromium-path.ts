/** Where the machine has a Chromium: what a variable names, the usual places, or what Playwright has downloaded. */

import { accessSync, constants, readdirSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, join } from "node:path"

/** The one without any window comes first: it renders alike and takes half of the processor time. */
const NAMES = [
  "chromium-headless-shell",
  "chrome-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
]

/** Applications of macOS; each is looked for in the machine's folder and in the user's own. */
const APPLICATIONS = [
  "Applications/Chromium.app/Contents/MacOS/Chromium",
  "Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]

/** Inside one version's folder of Playwright's cache. */
const DOWNLOADED = [
  "chrome-linux/chrome",
  "chrome-linux64/chrome",
  ...["chrome-mac", "chrome-mac-arm64", "chrome-mac-x64"].flatMap((folder) => [
    `${folder}/Chromium.app/Contents/MacOS/Chromium`,
    `${folder}/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing`,
  ]),
]

export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** The top of the file system, except in tests. */
  readonly root: string
}

/** The first Chromium found. Throws one line that says what to install. */
export function chromiumPath(machine: Machine = { env: process.env, home: homedir(), root: "/" }): string {
  const named = machine.env["CHROMIUM_PATH"] ?? ""
  if (named !== "") {
    if (isProgram(named)) return named
    throw new Error(`CHROMIUM_PATH names ${named}, which is no program that this user can run`)
  }
  const found = candidates(machine).find(isProgram)
  if (found !== undefined) return found
  throw new Error(
    "no Chromium on this machine: run `npx playwright-core install chromium`, install Chromium or Google Chrome, " +
      "or set CHROMIUM_PATH to one",
  )
}

function candidates({ env, home, root }: Machine): readonly string[] {
  const onPath = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")
  return [
    ...onPath.flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...[root, home].flatMap((top) => APPLICATIONS.map((application) => join(top, application))),
    ...caches(env, home).flatMap(downloadedIn),
  ]
}

/** Source: Playwright, "Browsers", section "Managing browser binaries". */
function caches(env: Machine["env"], home: string): readonly string[] {
  const named = env["PLAYWRIGHT_BROWSERS_PATH"] ?? ""
  return [
    ...(named === "" || named === "0" ? [] : [named]),
    join(home, ".cache/ms-playwright"),
    join(home, "Library/Caches/ms-playwright"),
  ]
}

/** The newest revision first: folders are named `chromium-1234`. */
function downloadedIn(cache: string): readonly string[] {
  const revisionOf = (name: string): number => Number(/^chromium-(\d+)$/.exec(name)?.[1])
  return namesIn(cache)
    .filter((name) => Number.isInteger(revisionOf(name)))
    .toSorted((a, b) => revisionOf(b) - revisionOf(a))
    .flatMap((name) => DOWNLOADED.map((file) => join(cache, name, file)))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
