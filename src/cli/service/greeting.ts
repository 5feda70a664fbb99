/** The text that `curbline serve` prints when it is ready: its addresses, and where to begin. */

import { resolve } from "node:path"
import type { Configuration } from "../../live/configuration/configuration.ts"
import type { RunningService } from "../../live/main.ts"
import { flagsFor } from "./examples.ts"

/** The last line begins with "The API's document", so that programs can recognize when the service is ready. */
export function greetingOf(
  { baseUrls, localUrls: { sandbox }, demo }: Pick<RunningService, "baseUrls" | "demo" | "localUrls">,
  { dataDir, allowsLocalTargets }: Pick<Configuration, "allowsLocalTargets" | "dataDir">,
): string {
  return [
    `production ${baseUrls.production}`,
    `sandbox    ${baseUrls.sandbox}`,
    ...(demo === null
      ? []
      : [
          `Start at ${sandbox}/ in a browser: buttons there book a reservation, order a delivery and link an agent.`,
          `Keys and ids are in ${resolve(dataDir, "demo.json")}`,
          `Commands for a shell: npx curbline examples${flagsFor(dataDir, allowsLocalTargets)}`,
        ]),
    `The API's document: ${sandbox}/openapi/rs.json, as pages: ${sandbox}/docs`,
  ].join("\n")
}
