/** `curbline fleet FILE --watch`: the replay of one run of a model, on a page that this machine alone can open. */

import { dirname, resolve } from "node:path"
import Fastify from "fastify"
import { addReplay } from "../../live/bundling/replay-pages.ts"
import type { ReplayRequest } from "../../model/replay/messages.ts"
import type { Loopback } from "../../pages/bundling/loopback.ts"
import { servedPages } from "../../pages/bundling/served-pages.ts"
import { replayRequest } from "../../simulation/fleet/replay/replay-request.ts"
import { formatProblem } from "../../simulation/scenario/language/problems.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { LOOPBACK, guard, newToken } from "../kit/gate.ts"
import { portOf, servedUntilStopped } from "../kit/local-page.ts"
import { err, hasColor } from "../kit/terminal.ts"
import { readWritten } from "../kit/text-files.ts"
import { UsageError } from "../kit/usage-error.ts"
import { seedsOf } from "../runs/run-scenarios.ts"
import { readFleetFile, textOfBeside } from "./fleet-files.ts"
import { savedReplay } from "./replay-file.ts"

export interface WatchFlags {
  readonly seeds?: string
  readonly port?: string
}

/** Serves until Ctrl-C. */
export async function fleetWatchCommand(file: string, flags: WatchFlags): Promise<ExitStatus> {
  const [seed = null, ...more] = seedsOf(flags.seeds, "--seeds") ?? []
  if (more.length > 0) throw new UsageError("--watch shows one run: name one seed with --seeds")
  const port = portOf(flags.port)
  const { model, problems } = readFleetFile(file)
  for (const problem of problems) err(`${formatProblem(problem, { color: hasColor(process.stderr) })}\n`)
  if (model === null) {
    err(`${counted(problems.length, "problem")}; nothing is shown`)
    return EXIT.usage
  }
  const text = readWritten(file)
  if (typeof text !== "string") throw new UsageError(`the file ${file} changed while it was read`)
  const run = replayRequest({ file, text, seed }, (name, streets) =>
    textOfBeside(resolve(dirname(file), name), streets),
  )
  await servedUntilStopped(() => serveReplay(run, model.fleet, port), port)
  return EXIT.passed
}

const SAVES = "/replay-file"
const ASKED = {
  querystring: {
    type: "object",
    required: ["moment"],
    properties: { moment: { type: "string", maxLength: 1000 } },
  },
}

/** Listens on the given port of the loopback, or on a free one. */
export async function serveReplay(run: ReplayRequest, title: string, port = 0): Promise<Loopback> {
  const app = Fastify({ forceCloseConnections: true })
  guard(app, { name: "replay", token: newToken() })
  const pages = servedPages(() => Promise.resolve(), ["replay"])
  addReplay(app, { pages, path: "/", title: `${title} · Fleet replay`, run: () => run, saves: SAVES })
  app.get<{ Querystring: { moment: string } }>(SAVES, { schema: ASKED }, async ({ query }, reply) =>
    reply.type("text/html; charset=utf-8").send(await savedReplay(run, query.moment)),
  )
  const url = await app.listen({ host: LOOPBACK, port })
  return { url: `${url}/`, close: () => app.close() }
}
