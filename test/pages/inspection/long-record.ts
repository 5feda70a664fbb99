/** A record as long as a busy day's, made of one visit. */

import { recordContext } from "../../../src/live/configuration/build.ts"
import { recordOf } from "../../../src/simulation/scenario/run.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { scenarioNamed } from "./records.ts"

const COPY_STEP_MS = 15_000

/** Copies of one visit, a quarter of a minute apart, their groups renamed, until there are enough entries. */
export async function longRecord(entries: number): Promise<string> {
  const visit = recordOf(
    runScenario(await scenarioNamed("reservations/the-open-link-fails-three-times")),
    recordContext(),
  )
  const lines = visit.trimEnd().split("\n")
  const head = lines.filter((line) => !/^{"k":"(?:turn|mark|end)"/.test(line))
  const turns = lines.filter((line) => line.startsWith('{"k":"turn"'))
  const copies = Math.ceil(entries / turns.length)
  const rows: { readonly t: number; readonly line: string }[] = []
  for (let copy = 0; copy < copies; copy += 1) {
    for (const line of turns) {
      const t = Number(/"t":(\d+)/.exec(line)?.[1]) + copy * COPY_STEP_MS
      const renamed = line
        .replaceAll(/reservation\/res_(\w+)/g, `reservation/res_$1${copy}`)
        .replaceAll(/webhook-delivery\/([0-9a-f-]+)/g, `webhook-delivery/$1${copy}`)
      rows.push({ t, line: renamed.replace(/"t":\d+/, `"t":${t}`) })
    }
  }
  const sorted = rows.toSorted((a, b) => a.t - b.t).slice(0, entries)
  const numbered = sorted.map(({ line }, row) => line.replace(/"s":\d+/, `"s":${head.length + row}`))
  const end = { k: "end", s: head.length + numbered.length, t: sorted.at(-1)?.t, verdict: "passed", hash: "" }
  return `${[...head, ...numbered, JSON.stringify(end)].join("\n")}\n`
}
