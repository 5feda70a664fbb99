/** The studio's runs against a service: of one file or of all, as streams, one run at a time. */

import { Readable } from "node:stream"
import type { FastifyInstance, FastifyReply } from "fastify"
import { stepWords } from "../../simulation/scenario/words/explain.ts"
import type { Scenario } from "../../simulation/scenario/language/language.ts"
import type {
  FileRun,
  NotRun,
  RunAnswer,
  RunRequest,
  ServiceProgress,
  ServiceStep,
} from "../../pages/web/studio/contract.ts"
import { fileResultOf } from "../../pages/web/studio/file-result.ts"
import { runAgainst } from "../against/run-against.ts"
import type { Service } from "../against/run-against.ts"
import { CallRefused } from "../against/sandbox-host.ts"
import { HostAway } from "../partners/partner-host.ts"
import { faultMessage } from "../kit/terminal.ts"
import { problemOf } from "./check.ts"
import type { ScenarioFolder } from "./folder.ts"
import { NoMoreRuns, runAll } from "./run-all.ts"
import { brokenResultOf, serviceResultOf } from "./service-result.ts"
import type { StudioThreads } from "./threads.ts"
import { jsonLines } from "./told-lines.ts"
import type { GivenFile } from "./worker.ts"

interface Running {
  readonly signal: AbortSignal
  readonly ended: Promise<unknown>
}

export class ServiceRuns {
  /** Without scheme, for people. */
  readonly host: string
  readonly #service: Service
  readonly #threads: Pick<StudioThreads, "read">
  #running: Running | null = null

  constructor(service: Service, threads: Pick<StudioThreads, "read">) {
    this.host = new URL(service.url).host
    this.#service = service
    this.#threads = threads
  }

  /** Lines of ServiceProgress. */
  one(file: GivenFile, signal: AbortSignal): AsyncGenerator<string> {
    const work = async (say: (line: ServiceProgress) => void): Promise<void> => {
      const answer = await this.#alone(signal, () => this.#answer(file, { signal, say }))
      say({ is: "answer", answer })
    }
    return jsonLines(work, signal)
  }

  /** Lines of Progress. */
  all(folder: ScenarioFolder, signal: AbortSignal): AsyncGenerator<string> {
    const verdict = async (file: GivenFile) => {
      try {
        const answer = await this.#alone(signal, () => this.#answer(file, { signal, say: () => {} }))
        return fileResultOf(file.path, answer)
      } catch (cause) {
        if (isOfEveryRun(cause)) throw new NoMoreRuns(faultMessage(cause))
        throw cause
      }
    }
    return runAll({ folder, verdict }, signal)
  }

  /** The receivers of webhooks are those of one run. A run that was stopped ends before the next begins. */
  async #alone<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
    while (this.#running !== null) {
      if (!this.#running.signal.aborted) throw new RunGoesOn(this.host)
      await this.#running.ended
    }
    const running = run()
    const mine = { signal, ended: running.catch(() => {}) }
    this.#running = mine
    try {
      return await running
    } finally {
      this.#running = null
    }
  }

  async #answer(
    file: GivenFile,
    { signal, say }: { readonly signal: AbortSignal; readonly say: (line: ServiceProgress) => void },
  ): Promise<RunAnswer> {
    const { scenarios, problems, notRun } = await this.#threads.read(file, signal)
    const runs: FileRun[] = []
    for (const [index, scenario] of scenarios.entries()) {
      const of = { run: index + 1, runs: scenarios.length, steps: scenario.steps.length }
      const onStep = (at: Pick<ServiceStep, "step" | "words">): void =>
        say({ is: "step", at: { ...of, ...at } })
      runs.push(await this.#run(scenario, { signal, notRun, onStep }))
    }
    return { runs, problems: problems.map((problem) => problemOf(problem, file.shown)), inspector: null }
  }

  async #run(
    scenario: Scenario,
    {
      signal,
      notRun,
      onStep,
    }: {
      readonly signal: AbortSignal
      readonly notRun: NotRun | null
      readonly onStep: (at: Pick<ServiceStep, "step" | "words">) => void
    },
  ): Promise<FileRun> {
    const startedAt = performance.now()
    const made = () => ({ host: this.host, wallMs: performance.now() - startedAt, notRun })
    onStep({ step: 0, words: "makes what the scenario is given" })
    try {
      const result = await runAgainst(this.#service, scenario, {
        signal,
        onStep: (step, index) => onStep({ step: index + 1, words: stepWords(step) }),
      })
      return serviceResultOf(result, made())
    } catch (cause) {
      if (signal.aborted || isOfEveryRun(cause) || !(cause instanceof CallRefused)) throw cause
      return brokenResultOf(scenario, cause, made())
    }
  }
}

/** Another page of this studio waits for a run. */
class RunGoesOn extends Error {
  override readonly name = "RunGoesOn"

  constructor(host: string) {
    super(`a run against ${host} is going on; stop it, or wait for its end`)
  }
}

/** No answer, a key that no longer works, another run: the next run would end the same way. */
function isOfEveryRun(cause: unknown): boolean {
  if (cause instanceof HostAway || cause instanceof RunGoesOn) return true
  return cause instanceof CallRefused && cause.status === 401
}

interface Opened {
  readonly folder: ScenarioFolder
  readonly runs: ServiceRuns
  /** The file of a request; throws when the folder refuses it. */
  readonly asked: (request: RunRequest) => GivenFile
  readonly untilLeft: (reply: FastifyReply) => AbortSignal
}

export function addServiceRuns(
  app: FastifyInstance,
  body: object,
  { folder, runs, asked, untilLeft }: Opened,
): void {
  const lines = (reply: FastifyReply, stream: AsyncGenerator<string>): FastifyReply =>
    reply.type("application/x-ndjson").send(Readable.from(stream))
  app.post<{ Body: RunRequest }>("/api/service/run", { schema: { body } }, (request, reply) =>
    lines(reply, runs.one(asked(request.body), untilLeft(reply))),
  )
  app.post("/api/service/run-all", (_, reply) => lines(reply, runs.all(folder, untilLeft(reply))))
}
