/**
 * One run of a fleet model that a page watches: it goes on in small steps of virtual time, tells what happened after each advance, and
 * answers for the journal of any group, also after its end. Its digest is that of `replicate` for the same model and seed.
 */

import { HeadSum } from "../../../engine/kernel/hash.ts"
import { nameOfFile, recordOfRun } from "../../run-record.ts"
import type { RecordContext } from "../../run-record.ts"
import { program } from "../../../apps/composition/program.ts"
import type {
  FromReplayWorker,
  ReplayMistake,
  ReplayRequest,
  ToReplayWorker,
} from "../../../model/replay/messages.ts"
import type { DayFigures } from "../../../model/replay/seed-difference.ts"
import { SECOND_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { Problem } from "../../scenario/language/problems.ts"
import { casesOf, inCase } from "../language/cases.ts"
import type { FleetCase } from "../language/cases.ts"
import type { FleetModel } from "../language/model.ts"
import { fleetNumbers } from "../language/written-numbers.ts"
import { courseHeadOf } from "../world/course-head.ts"
import { FleetWorld } from "../world/fleet-world.ts"
import { slices, startFleet } from "../world/replication.ts"
import { changeOffers } from "./change-offers.ts"
import { GroupInputs } from "./group-inputs.ts"
import { requestedModel } from "./replay-request.ts"
import { seedRuns } from "./seed-runs.ts"

/** Virtual time between two looks at whether the host wants its turn: a few milliseconds with a thousand vehicles. */
const SLICE_MS = 15 * SECOND_MS

export interface ReplayOrder {
  readonly token: number
  readonly run: ReplayRequest
  /** Gets every message of the run, in order. */
  readonly tell: (message: FromReplayWorker) => void
  /** The chart documents of machines, by their ids. */
  readonly chartsOf: (machines: readonly string[]) => RecordContext["charts"]
}

export class ReplayRun {
  readonly token: number
  readonly #tell: ReplayOrder["tell"]
  readonly #chartsOf: ReplayOrder["chartsOf"]
  readonly #inputs = new GroupInputs()
  /** Null when the run is over, so that its world can be forgotten. */
  #steps: Iterator<EpochMs> | null
  /** Null before the model is read. */
  #opened: { readonly model: FleetModel; readonly seed: number; readonly startMs: EpochMs } | null = null
  #world: FleetWorld | null = null

  constructor({ token, run, tell, chartsOf }: ReplayOrder) {
    this.#chartsOf = chartsOf
    this.token = token
    this.#tell = tell
    this.#steps = this.#run(run)
  }

  /** True when nothing more happens: it is done, or has failed. */
  get isOver(): boolean {
    return this.#steps === null
  }

  /**
   * Goes on until `isTime` is true or the run is over, and tells what happened: what the model is at the first advance, then a chunk for
   * each. A mistake in the model and a fault of the run are sent as `failed`; chunks that were sent before stay valid.
   */
  advance(isTime: () => boolean): void {
    try {
      let untilMs: EpochMs | null = null
      while (this.#steps !== null) {
        const step = this.#steps.next()
        if (step.done === true) {
          this.#steps = null
          break
        }
        untilMs = step.value
        if (isTime()) break
      }
      this.#tellCourse(untilMs)
    } catch (cause) {
      this.#fail(cause)
    }
  }

  /**
   * Runs of the opened model on other seeds, for the host to step through; a fault is sent as `failed` with their token. Without a step
   * before the model is read, or when it has a mistake.
   */
  *onSeeds({ token, seeds }: Extract<ToReplayWorker, { readonly type: "seeds" }>): Generator<EpochMs, void> {
    if (this.#opened === null) return
    const tell = (seed: number, figures: DayFigures): void =>
      this.#tell({ type: "figures", token, seed, figures })
    try {
      yield* seedRuns({ model: this.#opened.model, seeds, sliceMs: SLICE_MS, tell })
    } catch (cause) {
      this.#tell({ type: "failed", token, mistake: mistakeOf(cause) })
    }
  }

  /** Tells the journal of the group that the address belongs to. */
  journal(address: string): void {
    const { token } = this
    try {
      this.#tell({ type: "journal", token, address, record: this.#recordOf(address) })
    } catch (cause) {
      this.#fail(cause)
    }
  }

  /** A record of the group that an address belongs to; null for a group that the run does not have. */
  #recordOf(address: string): string | null {
    const journal = this.#inputs.journalOf(address, program)
    if (journal === null || this.#opened === null) return null
    const { model, seed, startMs } = this.#opened
    const { entries, group, machines } = journal
    const sum = new HeadSum()
    sum.add(group.address, group.head)
    const run = {
      name: nameOfFile(model.file),
      title: `Journal of ${group.address}`,
      variant: null,
      seed,
      startMs,
      timeZone: model.clock.timeZone,
      groups: [group.address],
      entries,
      marks: [],
      verdict: null,
      virtualMs: group.instantMs - startMs,
      hash: sum.total(),
    }
    return recordOfRun(run, {
      recording: "full",
      build: "curbline",
      charts: this.#chartsOf(machines),
    })
  }

  *#run({ seed, ...source }: ReplayRequest): Generator<EpochMs, void> {
    const model = watchedModel(source)
    const world = new FleetWorld(model, { seed: seed ?? model.seed, hasCourse: true })
    this.#opened = { model, seed: seed ?? model.seed, startMs: world.startMs }
    this.#inputs.listen(world.service.host)
    this.#world = world
    const head = courseHeadOf(model, seed ?? model.seed, world)
    const numbers = fleetNumbers(source.file, source.text)
    this.#tell({ type: "opened", token: this.token, head, numbers, offers: changeOffers(world) })
    startFleet(world)
    yield* slices(world, SLICE_MS)
  }

  /** `untilMs`: the end of the last step that was taken; null when there was none. */
  #tellCourse(untilMs: EpochMs | null): void {
    if (this.#world === null) return
    const { token } = this
    const { course, service } = this.#world
    const { host } = service
    const { turns } = host.counts
    if (untilMs !== null && course !== null)
      this.#tell({ type: "chunk", token, turns, chunk: course.take(untilMs) })
    if (!this.isOver) return
    this.#world = null
    this.#tell({ type: "done", token, digest: host.digest(), turns })
  }

  #fail(cause: unknown): void {
    this.#steps = null
    this.#world = null
    this.#tell({ type: "failed", token: this.token, mistake: mistakeOf(cause) })
  }
}

function mistakeOf(cause: unknown): ReplayMistake {
  if (cause instanceof MistakenModel) return cause.mistake
  return { message: cause instanceof Error ? cause.message : String(cause), place: null }
}

class MistakenModel extends Error {
  readonly mistake: ReplayMistake

  constructor(mistake: ReplayMistake) {
    super(mistake.message)
    this.mistake = mistake
  }
}

/** The model that is run: in the case that is asked for, or in the first one of a sweep. Throws MistakenModel for its first mistake. */
function watchedModel(request: Omit<ReplayRequest, "seed">): FleetModel {
  const { file, settings } = request
  const { model, problems } = requestedModel(request)
  const [problem] = problems
  if (problem !== undefined)
    throw new MistakenModel({ message: sentenceOf(problem), place: placeOf(problem) })
  if (model === null) throw new Error(`${file} gives neither a model nor a mistake`)
  return inCase(model, (settings as FleetCase | undefined) ?? casesOf(model)[0] ?? [])
}

function sentenceOf({ message, suggestion, expected, help }: Problem): string {
  if (suggestion !== undefined) return `${message}, did you mean ${JSON.stringify(suggestion)}?`
  return [
    message,
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(help === undefined ? [] : [help]),
  ].join("; ")
}

function placeOf({ place: { file, line, column } }: Problem): ReplayMistake["place"] {
  return { file, line, column }
}
