/** `curbline studio`: the scenarios of a folder as a page, served on the loopback: write, run, in memory or against a sandbox, and see their course. */

import type { Service } from "../against/run-against.ts"
import { openService } from "../against/service.ts"
import type { AgainstFlags } from "../against/service.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { portOf, servedUntilStopped } from "../kit/local-page.ts"
import { ScenarioFolder } from "./folder.ts"
import { serveStudio } from "./server.ts"
import { UsageError } from "../kit/usage-error.ts"

export interface StudioFlags extends Omit<AgainstFlags, "against"> {
  readonly port?: string
  readonly against?: string
}

/** Serves the page until Ctrl-C. */
export async function studioCommand(folder: string, flags: StudioFlags): Promise<ExitStatus> {
  const port = portOf(flags.port)
  const opened = new ScenarioFolder(folder)
  const service = await serviceOf(flags)
  try {
    await servedUntilStopped(() => serveStudio(opened, { port, service }), port)
  } finally {
    await service?.receiver.close()
  }
  return EXIT.passed
}

/** What scenarios may run against; null without `--against`. */
async function serviceOf({ against, ...flags }: StudioFlags): Promise<Service | null> {
  if (against !== undefined) return openService({ ...flags, against })
  const { key, receiverPort, receiverUrl } = flags
  const inVain = { "--key": key, "--receiver-port": receiverPort, "--receiver-url": receiverUrl }
  const [name] = Object.entries(inVain).find(([, value]) => value !== undefined) ?? []
  if (name !== undefined) throw new UsageError(`${name} goes with --against`)
  return null
}
