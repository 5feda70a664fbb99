/** A replay as one HTML file: the page, the simulator and the model, with the digest that the command has for the run. */

import { replayWorker } from "../../live/bundling/replay-worker.ts"
import type { ReplayRequest } from "../../model/replay/messages.ts"
import { pageBundle } from "../../pages/bundling/build.ts"
import { replayFile } from "../../pages/bundling/replay-document.ts"
import type { ReplayParts } from "../../pages/bundling/replay-document.ts"
import { casesOf, inCase } from "../../simulation/fleet/language/cases.ts"
import { requestedModel } from "../../simulation/fleet/replay/replay-request.ts"
import { replicate } from "../../simulation/fleet/world/replication.ts"

/** What a replay runs on. */
export type ReplayProgram = Omit<ReplayParts, "run">

/** Cost: see `pageBundle` and `workerScript`. */
export async function replayProgram(): Promise<ReplayProgram> {
  const [bundle, { asset }] = await Promise.all([pageBundle("replay"), replayWorker()])
  return { bundle, worker: String(asset.body) }
}

/** Opens at the moment, the fragment of an address. Runs the model once. Throws for a model with mistakes. */
export async function savedReplay(run: ReplayRequest, moment: string): Promise<string> {
  const program = await replayProgram()
  const { file, seed } = run
  const { model, problems } = requestedModel(run)
  if (model === null) throw new Error(problems[0]?.message ?? `${file} is no fleet model`)
  const { digest } = replicate(inCase(model, casesOf(model)[0] ?? []), { seed: seed ?? model.seed })
  const title = `${model.fleet} · Fleet replay`
  return replayFile({ ...program, run: { ...run, expectedDigest: digest }, title, moment }).html
}
