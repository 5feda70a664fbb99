/** The studio in a browser for its tests: its server over a folder, and pages of it. */

import type { BrowserContextOptions } from "playwright-core"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import type { Service } from "../../src/cli/against/run-against.ts"
import { ScenarioFolder } from "../../src/cli/studio/folder.ts"
import { serveStudio } from "../../src/cli/studio/server.ts"
import type { StudioServer } from "../../src/cli/studio/server.ts"
import type { SwarmSource } from "../../src/cli/studio/swarm.ts"
import { openPage, startChromium } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"
import { DESK } from "./look.ts"

export interface StudioInBrowser {
  /** Opens the page; `fields` follow the token in the fragment. */
  readonly open: (fields?: string, options?: BrowserContextOptions) => Promise<OpenedPage>
  /** A page of its own at a path of the studio. */
  readonly openPath: (path: string) => Promise<OpenedPage>
}

/** Serves the folder for the tests of a file, with a service or another swarm if one is given. */
export function studioInBrowser(
  folder: string,
  service?: () => Promise<Service>,
  swarm?: SwarmSource,
): StudioInBrowser {
  let server: StudioServer
  let browser: Browser
  let against: Service | null = null
  beforeAll(async () => {
    against = service === undefined ? null : await service()
    const options = { service: against, ...(swarm === undefined ? {} : { swarm }) }
    ;[server, browser] = await Promise.all([
      serveStudio(new ScenarioFolder(folder), options),
      startChromium(),
    ])
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
    await against?.receiver.close()
  })
  const blank = (options: BrowserContextOptions = {}): Promise<OpenedPage> =>
    openPage(browser, new URL(server.url).origin, { viewport: DESK, ...options })
  return {
    open: async (fields = "", options = {}) => {
      const shown = await blank(options)
      await shown.page.goto(`${server.url}${fields}`)
      return shown
    },
    openPath: async (path) => {
      const shown = await blank()
      await shown.page.goto(new URL(path, server.url).href)
      return shown
    },
  }
}
