/** `curbline studio`: the scenarios of a folder as a page, served on the loopback: write, run, and see their course. */

import { EXIT } from "./exit-codes.ts"
import type { ExitStatus } from "./exit-codes.ts"
import { portOf, servedUntilStopped } from "./local-page.ts"
import { ScenarioFolder } from "./studio/folder.ts"
import { serveStudio } from "./studio/server.ts"

export interface StudioFlags {
  readonly port?: string
}

/** Serves the page until Ctrl-C. */
export async function studioCommand(folder: string, flags: StudioFlags): Promise<ExitStatus> {
  const port = portOf(flags.port)
  const opened = new ScenarioFolder(folder)
  await servedUntilStopped(() => serveStudio(opened, port), port)
  return EXIT.passed
}
