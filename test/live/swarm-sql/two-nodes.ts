/**
 * The workload of a seed on two live nodes over one PostgreSQL whose connections are cut: half of the actors call one node, half the
 * other, and a caller without an answer calls again. Time runs fast, and leaps over waits once the workload is done.
 */

import { setTimeout as after } from "node:timers/promises"
import { Cause, Clock, Effect, Layer, LogLevel, Logger, ManagedRuntime } from "effect"
import type { Context } from "effect"
import { program } from "../../../src/apps/composition/program.ts"
import { RunningHost } from "../../../src/live/services/live-service.ts"
import { Streams } from "../../../src/engine/kernel/random.ts"
import { prepare } from "../../../src/simulation/scenario/run.ts"
import type { SimulatedServices } from "../../../src/simulation/simulated-service.ts"
import { DatabaseFault, layerPostgres } from "../../../src/engine/store/database.ts"
import type { Database } from "../../../src/engine/store/database.ts"
import { Coverage } from "../../../src/simulation/swarm/coverage.ts"
import { drawPlan } from "../../../src/simulation/swarm/draw.ts"
import { NO_FAULTS } from "../../../src/simulation/scenario/machine-faults.ts"
import type { Plan } from "../../../src/simulation/swarm/plan.ts"
import type { Answered } from "../../../src/simulation/swarm/invariant.ts"
import { driveMoves } from "../../../src/simulation/swarm/run.ts"
import { judged } from "../../../src/live/swarm-sql/judged.ts"
import type { Verdict } from "../../../src/live/swarm-sql/judged.ts"
import { Mirror } from "../../../src/live/swarm-sql/mirror.ts"
import { stageOf } from "../../../src/live/swarm-sql/stage.ts"
import type { Stage } from "../../../src/live/swarm-sql/stage.ts"
import { SECRET_KEY, layerSwarmService, prepareDatabase } from "../../../src/live/swarm-sql/sql-service.ts"
import { fastClock } from "../node/fast-clock.ts"
import type { FastTime } from "../node/fast-clock.ts"
import type { Cut, CuttingProxy } from "../../engine/store/cutting-proxy.ts"

const SPEED = 10
/** The whole workload, in the time of the service. */
const WORKLOAD_MS = 30_000
const CUTS: readonly Cut[] = ["at once", "behind a row", "inside a row", "inside the row description"]
const CUT_EVERY_MS = 150
/** Leaps over waits. Each goes to the next due entry and a little further, so that one wake-up takes several entries. */
const LEAPS_MAX = 600
const TOGETHER_MS = 300_000

export interface TwoNodesRun extends Verdict {
  /** Commands whose answer was lost by a cut. */
  readonly lost: number
  readonly cuts: number
  readonly answers: number
  readonly faults: readonly string[]
  readonly isQuiet: boolean
}

/**
 * The plan of the seed with its moves close together. Time leaps, so its timers may be late, and after a leap or a cut the last
 * heartbeat of a node is too old: the other node may count it as lost and send its calls again.
 */
function hastened(seed: number): Plan {
  const plan = drawPlan(seed)
  const scale = WORKLOAD_MS / plan.faultsEndMs
  const moves = plan.moves.map((move) => ({ ...move, atMs: Math.floor(move.atMs * scale) }))
  return { ...plan, moves, faults: { ...NO_FAULTS, lateTimers: 1, nodesLost: 1 }, faultsEndMs: WORKLOAD_MS }
}

export async function runOnTwoNodes(
  seed: number,
  direct: Context.Context<Database>,
  proxies: readonly [CuttingProxy, CuttingProxy],
): Promise<TwoNodesRun> {
  const plan = hastened(seed)
  const time: FastTime = { startMs: 0, hostStartMs: Date.now(), speed: SPEED }
  const clock = fastClock(time)
  const stage = stageOf(plan, () => clock.unsafeCurrentTimeMillis())
  time.startMs = stage.clock.startMs
  await prepareDatabase(direct, stage.run)
  const faults: string[] = []
  const nodes = proxies.map((proxy) => nodeOf(stage, { time, url: proxy.url, faults }))
  const coverage = new Coverage()
  const mirror = new Mirror({ store: stage.store, database: direct, secretKey: SECRET_KEY })
  const answers: Answered[] = []
  let isQuiet = false
  try {
    for (const node of nodes) await node.runtime()
    const world = Promise.withResolvers<undefined>()
    const actors = [...new Set(plan.moves.map(({ actor }) => actor))]
    const working = Promise.all(
      nodes.map((node, number) => {
        const moves = plan.moves.filter(({ actor }) => actors.indexOf(actor) % nodes.length === number)
        const driving = {
          plan: { ...plan, moves },
          coverage,
          before: mirror.ofCommands,
          isLost,
          faults: { began: nothing, ended: nothing, crash: nothing, losesAnswer: () => false },
          seen: {
            asked: nothing,
            answered: (answered: Answered) => void answers.push(answered),
          },
        }
        const moving = driveMoves(stage.run, driving)
        if (number > 0)
          return node.runPromise(
            Effect.zipRight(
              Effect.promise(() => world.promise),
              moving,
            ),
          )
        // In one fiber with its moves, because people sign in and out while it runs.
        const isThere = Effect.sync(() => world.resolve(undefined))
        return node.runPromise(prepare(stage.run).pipe(Effect.zipRight(isThere), Effect.zipRight(moving)))
      }),
    )
    await Promise.race([world.promise, working])
    await cuttingUntil(working, proxies, seed)
    isQuiet = await settled(nodes, time)
  } finally {
    for (const node of nodes) await node.dispose()
  }
  const verdict = await judged({ plan, stage, context: direct, mirror, coverage, program, answers })
  const cuts = proxies.reduce((sum, proxy) => sum + CUTS.reduce((of, cut) => of + proxy.cutsAt(cut), 0), 0)
  const lost = answers.filter(({ outcome }) => outcome.type === "lost").length
  return { ...verdict, lost, cuts, answers: answers.length, faults, isQuiet }
}

function nothing(): void {}

/** The connection was cut: whether the transaction was committed is unknown, so the caller sends the same command again. */
function isLost(cause: Cause.Cause<unknown>): boolean {
  const defects = [...Cause.defects(cause)]
  return defects.length > 0 && defects.every((defect) => defect instanceof DatabaseFault)
}

interface NodeParts {
  readonly time: FastTime
  readonly url: string
  readonly faults: string[]
}

type NodeServices = Database | RunningHost | SimulatedServices

function nodeOf({ run, outside, store }: Stage, { time, url, faults }: NodeParts) {
  const service = layerSwarmService({
    scenario: run.scenario,
    outside,
    store,
    options: { onFault: (fault) => Effect.sync(() => void faults.push(fault.message)) },
  })
  const layers = service.pipe(
    Layer.provideMerge(layerPostgres(url, { connectionsMax: 8 })),
    Layer.provide(Layer.setClock(fastClock(time))),
    // Cut connections fill the log.
    Layer.provide(Logger.minimumLogLevel(LogLevel.None)),
  )
  return ManagedRuntime.make(layers)
}

/** Cuts one connection after the other, of each node in turn, while the workload runs. */
async function cuttingUntil(
  working: Promise<unknown>,
  proxies: readonly CuttingProxy[],
  seed: number,
): Promise<void> {
  const streams = new Streams(seed)
  const end = { isReached: false }
  const done = working.finally(() => {
    end.isReached = true
  })
  done.catch(nothing)
  for (let round = 0; !end.isReached; round += 1) {
    const cut = CUTS[streams.between("cuts", { from: 0, to: CUTS.length - 1 })] ?? "at once"
    proxies[round % proxies.length]?.arm(cut, 1)
    await after(CUT_EVERY_MS)
  }
  for (const proxy of proxies) proxy.disarm()
  await done
}

/** Leaps to what is due next until nothing is due and no call is in flight; false when that takes too many leaps. */
async function settled(
  nodes: readonly ManagedRuntime.ManagedRuntime<NodeServices, DatabaseFault>[],
  time: FastTime,
): Promise<boolean> {
  for (let leaps = 0; leaps < LEAPS_MAX; leaps += 1) {
    await after(50)
    const looks = await Promise.all(
      nodes.map((node) =>
        node.runPromise(
          Effect.gen(function* () {
            const host = yield* RunningHost
            return {
              inFlight: host.callsInFlight,
              dueMs: yield* host.nextDueMs,
              nowMs: yield* Clock.currentTimeMillis,
            }
            // A pool may still have connections that were cut.
          }).pipe(Effect.catchAllCause(() => Effect.succeed(null))),
        ),
      ),
    )
    if (looks.some((look) => look === null || look.inFlight > 0)) continue
    const [look = null] = looks
    if (look === null || look.dueMs === null) return true
    if (look.dueMs > look.nowMs) time.startMs += look.dueMs - look.nowMs + TOGETHER_MS
  }
  return false
}
