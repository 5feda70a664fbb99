/** The studio's routes about the swarm: a run as a stream, one at a time, and a failing seed made small. */

import { Readable } from "node:stream"
import type { FastifyInstance, FastifyReply } from "fastify"
import { SEEDS_PER_RUN_MAX, SEED_MAX, SWARM_MINUTES_MAX } from "../../model/values/limits.ts"
import type { Finding } from "../../simulation/swarm/explore.ts"
import type { SwarmFinding, SwarmRequest, SwarmRoom } from "../../pages/web/studio/swarm/swarm-contract.ts"
import { FolderRefusal } from "./folder.ts"
import type { SwarmThreads } from "./swarm-run.ts"

/** What runs and shrinks seeds. */
export interface SwarmSource {
  /** Default: threads of the swarm. */
  readonly threads?: SwarmThreads
  /** Null when the seed breaks nothing. */
  readonly finding: (seed: number, signal: AbortSignal) => Promise<Finding | null>
}

export function addSwarm(app: FastifyInstance, { threads, finding }: SwarmSource): void {
  let running: { readonly signal: AbortSignal; readonly ended: Promise<void> } | null = null
  // Loaded on demand: the swarm needs the whole program.
  const runner = () => import("./swarm-run.ts")
  app.get("/api/swarm", async (): Promise<SwarmRoom> => ({ workersMax: (await runner()).SWARM_WORKERS_MAX }))
  const seed = { type: "integer", minimum: 0, maximum: SEED_MAX }
  const body = {
    type: "object",
    required: ["from", "count", "unit", "workers"],
    properties: {
      from: seed,
      count: { type: "integer", minimum: 1 },
      unit: { enum: ["minutes", "seeds"] },
      workers: { type: "integer", minimum: 1 },
    },
  }
  app.post<{ Body: SwarmRequest }>("/api/swarm", { schema: { body } }, async (request, reply) => {
    const { swarmRun, SWARM_WORKERS_MAX } = await runner()
    const asked = request.body
    const max = asked.unit === "minutes" ? SWARM_MINUTES_MAX : SEEDS_PER_RUN_MAX
    if (asked.count > max)
      throw new FolderRefusal(422, `a swarm takes at most ${max} ${asked.unit}, not ${asked.count}`)
    if (asked.workers > SWARM_WORKERS_MAX)
      throw new FolderRefusal(
        422,
        `this machine has ${SWARM_WORKERS_MAX} threads for a swarm, not ${asked.workers}`,
      )
    // One that was stopped still ends its threads.
    if (running?.signal.aborted === true) await running.ended
    if (running !== null) throw new FolderRefusal(409, "a swarm is running already; stop it first")
    const signal = untilLeft(reply)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    running = { signal, ended }
    const lines = swarmRun(asked, { signal, ...(threads === undefined ? {} : { threads }) })
    const release = (): void => {
      running = null
      end()
    }
    let hasBegun = false
    // A stream that is closed before it is read never runs.
    signal.addEventListener("abort", () => void (hasBegun || release()), { once: true })
    const whole = async function* (): AsyncGenerator<string> {
      hasBegun = true
      try {
        yield* lines
      } finally {
        release()
      }
    }
    return reply.type("application/x-ndjson").send(Readable.from(whole()))
  })
  const named = { type: "object", required: ["seed"], properties: { seed } }
  app.post<{ Body: { seed: number } }>(
    "/api/swarm-finding",
    { schema: { body: named } },
    async (request, reply): Promise<SwarmFinding> => {
      const found = await finding(request.body.seed, untilLeft(reply))
      if (found === null) throw new FolderRefusal(404, `seed ${request.body.seed} breaks nothing`)
      return (await runner()).shownFinding(found)
    },
  )
}

/** Aborts when the page has closed the connection: it was left, or "Stop" was pressed. */
function untilLeft({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController()
  raw.once("close", () => leaving.abort())
  return leaving.signal
}
