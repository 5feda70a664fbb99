/** The version of the program in records. */

import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { registeredCharts } from "../../pages/chart/registered-machine.ts"
import { digest } from "../../engine/kernel/hash.ts"
import type { RecordContext, Recording } from "../../simulation/run-record.ts"

/** `curbline 0.1.0`, from package.json. */
export function buildName(): string {
  const file = new URL("../../../package.json", import.meta.url)
  const { name, version } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly name: string
    readonly version: string
  }
  return `${name} ${version}`
}

/** The files by which a replication is made: the rest of the program may differ between two machines. */
const MAKES_REPLICATIONS = [
  "machines",
  ...[
    "model",
    "engine/kernel",
    "engine/services",
    "engine/memory",
    "http/access",
    "areas",
    "apps/composition",
    "apps/inspector",
    "apps/operations",
    "apps/portal",
    "simulation",
  ].map((part) => `src/${part}`),
]

/** Parts of areas that only a live service has. */
const ELSEWHERE = /(?:^|[\\/])(?:cli|http|store)[\\/]/

/**
 * `0.1.0-3f2a9c81d07e`: the version and a digest of the files by which a fleet's replications are made, and of the
 * versions of their imports. Two machines with the same name make the same bytes. Node is not part of it:
 * `package.json` names its version, which is the one that `npx curbline` runs on.
 */
export function programName(): string {
  const root = fileURLToPath(new URL("../../../", import.meta.url))
  const files = MAKES_REPLICATIONS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.[jt]s$/.test(name) && !ELSEWHERE.test(name))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
  )
  const texts = ["package.json", ...files.toSorted()].map(
    (name) => `${name} ${digest(readFileSync(join(root, name), "utf8"))}`,
  )
  const [, version = ""] = buildName().split(" ")
  return `${version}-${digest(texts.join("\n")).slice(0, 12)}`
}

export function recordContext(recording: Recording = "full"): RecordContext {
  return {
    recording,
    build: buildName(),
    charts: Object.fromEntries(registeredCharts().map((chart) => [chart.id, chart])),
  }
}
