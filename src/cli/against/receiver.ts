/**
 * The partner's side of a run against a service: an HTTP server on this machine that gets webhooks and calls of open links under the
 * addresses of the scenario, and answers as the scenario says.
 */

import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { setTimeout as after } from "node:timers/promises"
import { BODY_BYTES_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { USUAL_ANSWER_MS } from "../../simulation/outside-world.ts"
import type { ReceivedRequest, ScriptedAnswer } from "../../simulation/outside-world.ts"

/** A request with the instant of the sandbox's clock at which it came; `atMs` is real time, in which signatures are. */
export interface ReceivedAtInstant extends ReceivedRequest {
  readonly instantMs: EpochMs
}

export interface ReceiverOptions {
  /** 0: any free port. */
  readonly port: number
  /** Under which the service reaches the port; null: the loopback. */
  readonly publicUrl: string | null
}

const USUAL: ScriptedAnswer = { type: "status", status: 200, afterMs: USUAL_ANSWER_MS }

export class Receiver {
  #received: ReceivedAtInstant[] = []
  #answersByUrl = new Map<string, readonly ScriptedAnswer[]>()
  #countByUrl = new Map<string, number>()
  #downUntilMsByUrl = new Map<string, EpochMs>()
  #instant: () => Promise<EpochMs> = () => Promise.resolve(Date.now())
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response))
  readonly #options: ReceiverOptions

  constructor(options: ReceiverOptions) {
    this.#options = options
  }

  async open(): Promise<void> {
    this.#server.listen(this.#options.port, "127.0.0.1")
    await once(this.#server, "listening")
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }

  /** Forgets the run before. `instant`: the time of the sandbox's clock, also while it is moved. */
  begin(instant: () => Promise<EpochMs>): void {
    this.#received = []
    this.#answersByUrl = new Map()
    this.#countByUrl = new Map()
    this.#downUntilMsByUrl = new Map()
    this.#instant = instant
  }

  get received(): readonly ReceivedAtInstant[] {
    return this.#received
  }

  /** One answer a request, the last for ever. */
  script(url: string, answers: readonly ScriptedAnswer[]): void {
    this.#answersByUrl.set(url, answers)
    this.#countByUrl.delete(url)
  }

  takeDown(url: string, untilMs: EpochMs): void {
    this.#downUntilMsByUrl.set(url, untilMs)
  }

  /** The address of this machine for an address of the scenario; addresses of other kinds stay as they are. */
  reachable(url: string): string {
    const at = URL.parse(url)
    if (at === null || at.protocol !== "https:" || !at.hostname.endsWith(".example")) return url
    const { port } = this.#server.address() as AddressInfo
    const base = this.#options.publicUrl ?? `http://127.0.0.1:${port}`
    return `${base.replace(/\/$/, "")}/${at.host}${at.pathname}${at.search}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = `https:/${request.url ?? "/"}`
    // The caller left before its request was whole: a run goes on without it.
    const body = await textOf(request).catch(() => null)
    if (body === null) return void request.destroy()
    const cameAt = performance.now()
    const instantMs = await this.#instant().catch(() => Date.now())
    const number = (this.#countByUrl.get(url) ?? 0) + 1
    this.#countByUrl.set(url, number)
    const answer = this.#scripted(url, number, instantMs)
    const kept = { url, body, number, answer, instantMs, atMs: Date.now(), headers: headersOf(request) }
    this.#received.push(kept)
    if (answer.type === "status") await after(Math.max(0, answer.afterMs - (performance.now() - cameAt)))
    // To destroy a request that was read would leave its connection open, and the caller would wait for its time limit.
    if (answer.type === "refused") request.socket.destroy()
    // A timeout ends when the caller gives up.
    if (answer.type === "status") response.writeHead(answer.status).end()
  }

  #scripted(url: string, number: number, instantMs: EpochMs): ScriptedAnswer {
    if (instantMs < (this.#downUntilMsByUrl.get(url) ?? Number.NEGATIVE_INFINITY)) return { type: "refused" }
    const answers = this.#answersByUrl.get(url) ?? []
    return answers[Math.min(number, answers.length) - 1] ?? USUAL
  }
}

/** Null when it is longer than a webhook may be. */
async function textOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > BODY_BYTES_MAX) return null
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}

/** Names of headers as the contracts write them: HTTP does not keep their case. */
function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const written = Object.entries(headers).map(([name, value]) => [
    name.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase()),
    String(value),
  ])
  return Object.fromEntries(written) as Readonly<Record<string, string>>
}
