/** A partner's URLs as `certify` calls them: checked by the rules for webhooks, and only at the checked addresses. Redirects are not followed. */

import type { ClientRequest, IncomingMessage } from "node:http"
import { setTimeout as after } from "node:timers/promises"
import { Effect, Layer } from "effect"
import { UrlPolicy, layerUrlPolicy } from "../../engine/services/outbound/url-policy.ts"
import type { UrlVerdict } from "../../engine/services/outbound/url-policy.ts"
import { layerNameLookup } from "../../live/gateways/name-lookup.ts"
import { exchange } from "../../live/gateways/outbound-exchange.ts"
import { ANSWER_BYTES_MAX, WEBHOOK_TIMEOUT_MS } from "../../model/values/limits.ts"
import type { PartnerAnswer, Receiver } from "../../simulation/certify/play.ts"
import type { PartnerRequest } from "../../simulation/certify/requests.ts"
import { StateUnreadable } from "../../simulation/certify/state.ts"
import { CommandFailed, UsageError } from "../kit/usage-error.ts"

/** A URL and the addresses that may be called for it. */
export interface Target {
  readonly url: string
  readonly addresses: readonly string[]
}

export interface Targets {
  readonly hook: Target
  readonly openLink: Target | null
  readonly state: Target | null
}

/** Rejects with a UsageError for a URL that a webhook could not have either. The loopback may be called over http. */
export async function targetOf(flag: string, url: string): Promise<Target> {
  const checking = Effect.flatMap(UrlPolicy, (urls) => urls.check(url, OWNER))
  const verdict = await Effect.runPromise(Effect.provide(checking, POLICY))
  if (verdict.type === "public") return { url, addresses: verdict.addresses }
  if (verdict.type === "unavailable")
    throw new CommandFailed(`the name server does not answer for ${new URL(url).hostname}; try again`)
  throw new UsageError(`${flag} ${url} ${PROBLEMS[verdict.detail]}`)
}

const OWNER = { organizationId: "certify", environment: "sandbox" } as const
const POLICY = Layer.provide(layerUrlPolicy({ allowsLoopback: true }), layerNameLookup())

const PROBLEMS: Readonly<Record<Extract<UrlVerdict, { readonly type: "refused" }>["detail"], string>> = {
  INVALID_URL: "is no URL; write it as https://partner.example/hook",
  NOT_HTTPS: "must begin with https, as webhooks do; only this machine may be called over http",
  BARE_IP_REJECTED: "must have a host name, not an address, as webhooks do",
  DNS_RESOLUTION_FAILED: "has a host without addresses",
  BLOCKED_TARGET: "has an address that is not public, which webhooks do not call",
}

/** The receiver behind these URLs, on the clock of this machine. */
export function receiverAt(targets: Targets): Receiver {
  const { state } = targets
  return {
    send: (request) => send(request, targets),
    readState: state === null ? null : () => readState(state),
    nowMs: () => Date.now(),
    pause: (ms) => after(ms),
  }
}

const PIECES = 4
const PIECE_PAUSE_MS = 250

async function send(request: PartnerRequest, { hook, openLink }: Targets): Promise<PartnerAnswer> {
  const target = request.to === "hook" ? hook : openLink
  if (target === null) throw new Error("there is no open link to call")
  const startedMs = performance.now()
  const answer = await Effect.runPromise(
    exchange({
      ...target,
      method: "POST",
      headers: request.headers,
      body: Buffer.from(request.body, "utf8"),
      timeoutMs: request.timeoutMs,
      // The status is enough. Ending here closes the connection before the body of the answer was read.
      read: (_response, end) => {
        setImmediate(end)
        return () => ({})
      },
      unread: {},
      ...(request.manner === "slow" ? { write: writeSlowly } : {}),
    }),
  )
  if (answer.type === "unanswered") return answer
  if (request.manner === "unread") return { type: "unread" }
  return { type: "answered", status: answer.status, afterMs: Math.round(performance.now() - startedMs) }
}

function writeSlowly(outgoing: ClientRequest, body: Buffer): void {
  const size = Math.ceil(body.length / PIECES)
  const write = (from: number): void => {
    if (outgoing.destroyed) return
    outgoing.write(body.subarray(from, from + size))
    if (from + size >= body.length) outgoing.end()
    else setTimeout(() => write(from + size), PIECE_PAUSE_MS)
  }
  write(0)
}

async function readState(target: Target): Promise<unknown> {
  const answer = await Effect.runPromise(
    exchange({
      ...target,
      method: "GET",
      headers: { Accept: "application/json", "User-Agent": "Curbline/1" },
      body: null,
      timeoutMs: WEBHOOK_TIMEOUT_MS,
      read: readText,
      unread: { text: "" },
    }),
  )
  if (answer.type === "unanswered")
    throw new StateUnreadable(
      answer.reason === "timeout" ? "the state was not answered in time" : "no connection for the state",
    )
  if (answer.status !== 200) throw new StateUnreadable(`the state was answered with ${answer.status}`)
  try {
    return JSON.parse(answer.text)
  } catch {
    throw new StateUnreadable(`the state is no JSON, or longer than ${ANSWER_BYTES_MAX} bytes`)
  }
}

function readText(response: IncomingMessage, end: () => void): () => { readonly text: string } {
  const chunks: Buffer[] = []
  let bytes = 0
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) end()
    else chunks.push(chunk)
  })
  return () => ({ text: Buffer.concat(chunks).toString("utf8") })
}
