/**
 * URL policy: which URLs the service may call. `https` on a named public host; checked when a URL is registered and
 * again at every send, and the connection is pinned to the addresses that were checked.
 */

import { Context, Deferred, Effect, Exit, Layer } from "effect"
import ipaddr from "ipaddr.js"
import {
  RESOLUTIONS_MAX,
  RESOLUTION_TIMEOUT_MS,
  SEND_RESOLUTIONS_MAX,
  URL_LENGTH_MAX,
} from "../../model/limits.ts"

/** What a name look-up says. `none` is a definite answer; `unavailable` asks to try again. */
export type Resolution =
  | { readonly type: "addresses"; readonly addresses: readonly string[] }
  | { readonly type: "none" }
  | { readonly type: "unavailable" }

/** Resolves a host name to its A and AAAA records. */
export class NameLookup extends Context.Tag("NameLookup")<
  NameLookup,
  { readonly resolve: (host: string) => Effect.Effect<Resolution> }
>() {}

/** Why a URL's text is refused. */
export type UrlTextProblem = "INVALID_URL" | "NOT_HTTPS" | "BARE_IP_REJECTED"

export type UrlVerdict =
  | { readonly type: "public"; readonly addresses: readonly string[] }
  | { readonly type: "refused"; readonly detail: UrlTextProblem | "DNS_RESOLUTION_FAILED" | "BLOCKED_TARGET" }
  | { readonly type: "unavailable" }

export interface UrlPolicyOptions {
  /** Development only: loopback over http, IP literals included. */
  readonly allowsLoopback: boolean
}

export class UrlPolicy extends Context.Tag("UrlPolicy")<
  UrlPolicy,
  {
    /** What is wrong with the text alone, or null. No look-up. */
    readonly checkText: (url: string) => UrlTextProblem | null
    /**
     * Text and addresses, for somebody who asks to register the URL. Bounded in time; at most a fixed number of
     * look-ups run at once, and one more is told to try again.
     */
    readonly check: (url: string) => Effect.Effect<UrlVerdict>
    /**
     * The same verdict for a call that is about to leave. It waits for its turn, since no caller would repeat it,
     * and calls that leave for one host together share a look-up that none of them began before it was needed.
     */
    readonly checkToSend: (url: string) => Effect.Effect<UrlVerdict>
  }
>() {}

export function layerUrlPolicy(
  options: UrlPolicyOptions = { allowsLoopback: false },
): Layer.Layer<UrlPolicy, never, NameLookup> {
  return Layer.effect(
    UrlPolicy,
    Effect.gen(function* () {
      const { resolve } = yield* NameLookup
      const toRegister = refusingCrowds(resolve)
      const toSend = sharing(waitingForTurns(resolve, yield* Effect.makeSemaphore(SEND_RESOLUTIONS_MAX)))
      return {
        checkText: (url) => problemOfText(url, options),
        check: (url) => checkUrl(url, { resolve: toRegister, options }),
        checkToSend: (url) => checkUrl(url, { resolve: toSend, options }),
      }
    }),
  )
}

type Resolve = NameLookup["Type"]["resolve"]

const UNAVAILABLE: Resolution = { type: "unavailable" }

function inTime(resolution: Effect.Effect<Resolution>): Effect.Effect<Resolution> {
  return Effect.timeoutTo(resolution, {
    duration: RESOLUTION_TIMEOUT_MS,
    onTimeout: () => UNAVAILABLE,
    onSuccess: (found) => found,
  })
}

/** One look-up more than may run at once is unavailable. */
function refusingCrowds(resolve: Resolve): Resolve {
  let running = 0
  return (host) =>
    Effect.suspend(() => {
      if (running >= RESOLUTIONS_MAX) return Effect.succeed(UNAVAILABLE)
      running += 1
      return Effect.ensuring(
        inTime(resolve(host)),
        Effect.sync(() => {
          running -= 1
        }),
      )
    })
}

/** The time limit counts from the look-up's turn. */
function waitingForTurns(resolve: Resolve, turns: Effect.Semaphore): Resolve {
  return (host) => turns.withPermits(1)(inTime(resolve(host)))
}

/** Callers that ask while a look-up of the same host is in flight share its answer. */
function sharing(resolve: Resolve): Resolve {
  const inFlight = new Map<string, Deferred.Deferred<Resolution>>()
  return (host) =>
    Effect.gen(function* () {
      const known = inFlight.get(host)
      if (known !== undefined) return yield* Deferred.await(known)
      const answer = yield* Deferred.make<Resolution>()
      inFlight.set(host, answer)
      // The others get the answer too when the first caller is interrupted.
      return yield* Effect.onExit(resolve(host), (exit) => {
        inFlight.delete(host)
        return Deferred.succeed(answer, Exit.isSuccess(exit) ? exit.value : UNAVAILABLE)
      })
    })
}

function checkUrl(
  url: string,
  { resolve, options }: { resolve: Resolve; options: UrlPolicyOptions },
): Effect.Effect<UrlVerdict> {
  const detail = problemOfText(url, options)
  if (detail !== null) return Effect.succeed({ type: "refused", detail })
  const host = nameIn(new URL(url))
  if (isAddress(host)) return Effect.succeed({ type: "public", addresses: [host] })
  return Effect.map(resolve(host), (resolution): UrlVerdict => {
    if (resolution.type === "unavailable") return { type: "unavailable" }
    if (resolution.type === "none" || resolution.addresses.length === 0) {
      return { type: "refused", detail: "DNS_RESOLUTION_FAILED" }
    }
    const isAllowed = resolution.addresses.every(
      (address) => isPublic(address) || isAllowedLoopback(address, options),
    )
    return isAllowed
      ? { type: "public", addresses: resolution.addresses }
      : { type: "refused", detail: "BLOCKED_TARGET" }
  })
}

function problemOfText(text: string, options: UrlPolicyOptions): UrlTextProblem | null {
  if ([...text].length > URL_LENGTH_MAX || !URL.canParse(text)) return "INVALID_URL"
  const url = new URL(text)
  const host = nameIn(url)
  if (url.username !== "" || url.password !== "" || host === "") return "INVALID_URL"
  const isLoopback = options.allowsLoopback && (host === "localhost" || isAllowedLoopback(host, options))
  if (url.protocol !== "https:" && !(isLoopback && url.protocol === "http:")) return "NOT_HTTPS"
  if (isAddress(host) && !isLoopback) return "BARE_IP_REJECTED"
  return null
}

/** Scheme, host and port; null for what is no URL. */
export function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}

/** The URL parser has already turned decimal, octal and short forms of IPv4 into dotted ones. */
function nameIn(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "")
}

/**
 * The library finds out that a name is no address by errors that it throws and catches, which cost more than a turn. Of a
 * URL's hosts only IPv4 is digits and dots alone, and only IPv6 has colons. Source: WHATWG URL, host parsing.
 */
function isAddress(host: string): boolean {
  return /^[\d.]+$|:/.test(host) && ipaddr.isValid(host)
}

/** True for global unicast; mapped and translated IPv4 inside IPv6 is judged as what it hides. */
function isPublic(address: string): boolean {
  if (!isAddress(address)) return false
  const judged = ipaddr.process(address)
  if (judged.range() !== "unicast") return false
  // Outside 2000::/3 nothing of IPv6 is global unicast yet; the library calls the unassigned rest unicast too.
  return !(judged instanceof ipaddr.IPv6) || ((judged.parts[0] ?? 0) & 0xe000) === 0x2000
}

function isAllowedLoopback(address: string, options: UrlPolicyOptions): boolean {
  return options.allowsLoopback && isAddress(address) && ipaddr.process(address).range() === "loopback"
}
