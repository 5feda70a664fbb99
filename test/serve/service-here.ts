/**
 * The service in the process of the test, for tests of pages: to a browser it is the same. Its modules are loaded once for many files,
 * and their code stays compiled.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { SETTINGS, readConfiguration } from "../../src/live/configuration/configuration.ts"
import { startService } from "../../src/live/main.ts"
import { makeServiceLog } from "../../src/live/observation/service-log.ts"
import { freePort } from "../free-port.ts"
import { preparedDataFolder } from "./service-process.ts"
import type { ServiceProcess } from "./service-process.ts"

/** A process of its own is one, too. */
export type ServiceHere = Pick<ServiceProcess, "access" | "data" | "log" | "urls"> & {
  readonly stop: () => Promise<unknown>
}

/** With the demo's data in an embedded database of its own. `env` are settings. */
export async function startHere(env: NodeJS.ProcessEnv = {}): Promise<ServiceHere> {
  const data = preparedDataFolder()
  const flags = {
    [SETTINGS.dataDir.name]: data,
    [SETTINGS.productionPort.name]: String(await freePort()),
    [SETTINGS.sandboxPort.name]: String(await freePort()),
    [SETTINGS.allowsLocalTargets.name]: "true",
  }
  const environment = { NODE_ENV: "development", ...env }
  const configuration = await Effect.runPromise(readConfiguration({ flags, environment }))
  let lines = ""
  const write = (line: string): void => {
    lines += line
  }
  const log = makeServiceLog({ level: configuration.logLevel, format: configuration.logFormat, write })
  const service = await startService({ configuration, log, demo: "in a new database" })
  return {
    data,
    access: JSON.parse(readFileSync(join(data, "demo.json"), "utf8")) as ServiceProcess["access"],
    log: () => lines,
    urls: service.localUrls,
    stop: service.stop,
  }
}
