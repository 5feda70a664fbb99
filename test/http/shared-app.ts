/**
 * Apps that the tests of a process use one after the other, each over the services of its test: an app has hundreds of routes, and
 * making them takes longer than most tests.
 */

import type { FastifyInstance } from "fastify"
import type { AnsweredRequest } from "../../src/http/access/call-log.ts"
import type { Arrivals } from "../../src/engine/services/arrivals.ts"
import type { ChangedGroups } from "../../src/engine/services/changed-groups.ts"
import type { DigestKey } from "../../src/engine/services/digest-key.ts"
import type { Run } from "../../src/http/bridge.ts"
import { ChangeStreams } from "../../src/http/change-streams.ts"
import { checker } from "./document.ts"
import type { Check } from "./document.ts"

/** The services of one test, as an app sees them. */
export interface Services<R> {
  readonly run: Run<R | ChangedGroups | DigestKey>
  readonly arrivals: Pick<Arrivals["Type"], "next">
  readonly onCall: (call: AnsweredRequest) => void
}

/** What an app is made of. */
export interface AppParts<R> extends Services<R> {
  readonly streams: ChangeStreams
}

/** Apps that no test uses now, by name. */
const free = new Map<string, { readonly app: FastifyInstance; readonly behind: Behind<never> }>()

/**
 * An app for one test, which gives it back at its end. Apps of one name are equal. An app is closed instead of used again when it may
 * remember the test: after a stream, while it listens, or with a request in flight.
 */
export async function sharedApp<R>(
  name: string,
  services: Services<R>,
  make: (parts: AppParts<R>) => Promise<FastifyInstance>,
): Promise<{ readonly app: FastifyInstance; readonly giveBack: () => Promise<void> }> {
  const known = free.get(name)
  free.delete(name)
  const behind = known?.behind ?? new Behind<R>()
  const app = known?.app ?? (await make(behind as Behind<R>))
  if (known === undefined) app.addHook("onClose", async () => behind.spoil())
  behind.serve(services)
  const giveBack = async (): Promise<void> => {
    const isClean = behind.leave() && !app.server.listening
    if (isClean) free.set(name, { app, behind })
    else await app.close()
  }
  return { app, giveBack }
}

const checks = new WeakMap<FastifyInstance, Map<string, Promise<Check>>>()

/** The check against a document of the app, which is asked for once. */
export function checkOf(app: FastifyInstance, url: string, sent: object = {}): Promise<Check> {
  const known = checks.get(app) ?? new Map<string, Promise<Check>>()
  checks.set(app, known)
  const check =
    known.get(url) ?? Promise.resolve(app.inject({ url, ...sent })).then(({ body }) => checker(body))
  known.set(url, check)
  return check
}

/** The services behind an app, which change with the test. */
class Behind<R> implements AppParts<R> {
  #services: Services<R> | null = null
  #inFlight = 0
  #isSpoilt = false

  readonly run: Services<R>["run"] = async (effect) => {
    const { run } = this.#now
    this.#inFlight += 1
    try {
      return await run(effect)
    } finally {
      this.#inFlight -= 1
    }
  }

  readonly arrivals = { next: () => this.#now.arrivals.next() }
  readonly onCall = (call: AnsweredRequest): void => this.#now.onCall(call)
  readonly streams = new NotedStreams(this.run, () => this.spoil())

  serve(services: Services<R>): void {
    this.#services = services
  }

  /** The app may not be used again. */
  spoil(): void {
    this.#isSpoilt = true
  }

  /** True when the app is as a new one. */
  leave(): boolean {
    this.#services = null
    return !this.#isSpoilt && this.#inFlight === 0
  }

  get #now(): Services<R> {
    if (this.#services === null) throw new Error("a request after the end of its test")
    return this.#services
  }
}

class NotedStreams extends ChangeStreams {
  readonly #onOpen: () => void

  constructor(run: Run<ChangedGroups | DigestKey>, onOpen: () => void) {
    super(run)
    this.#onOpen = onOpen
  }

  override open(...words: Parameters<ChangeStreams["open"]>): ReturnType<ChangeStreams["open"]> {
    this.#onOpen()
    return super.open(...words)
  }
}
