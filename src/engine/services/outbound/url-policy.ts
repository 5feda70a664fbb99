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
} from "../../../model/values/limits.ts"
import { Routine, answerTo, isRoutine } from "../routine.ts"

/** The result of a name look-up. `none` is a definite answer; `unavailable` may be retried. */
export type Resolution =
  | { readonly type: "addresses"; readonly addresses: readonly string[] }
  | { readonly type: "none" }
  | { readonly type: "unavailable" }

/** Resolves a host name to its A and AAAA records. */
export class NameLookup extends Context.Tag("NameLookup")<
  NameLookup,
  { readonly resolve: (host: string) => Effect.Effect<Resolution> }
>() {}

/** Why the text of a URL is refused. */
export type UrlTextProblem = "INVALID_URL" | "NOT_HTTPS" | "BARE_IP_REJECTED"

export type UrlVerdict =
  | { readonly type: "public"; readonly addresses: readonly string[] }
  | { readonly type: "refused"; readonly detail: UrlTextProblem | "DNS_RESOLUTION_FAILED" | "BLOCKED_TARGET" }
  | { readonly type: "unavailable" }

export interface UrlPolicyOptions {
  /** Development only: allows loopback over http, including IP literals. */
  readonly allowsLoopback: boolean
}

export class UrlPolicy extends Context.Tag("UrlPolicy")<
  UrlPolicy,
  {
    /** The problem of the text alone, or null. Without a look-up. */
    readonly checkText: (url: string) => UrlTextProblem | null
    /**
     * Checks text and addresses, for a request to register the URL. Bounded in time and in concurrent look-ups; beyond
     * the bound the caller is asked to retry.
     */
    readonly check: (url: string) => Effect.Effect<UrlVerdict>
    /**
     * The same check for a call that is about to be sent. It waits for a free look-up, because no caller would retry
     * it. Concurrent calls to one host share a look-up while it is in flight; its answer is not kept.
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

/** Look-ups beyond the bound are unavailable. Without a fiber a simulated look-up answers at once, and needs no time limit. */
function refusingCrowds(resolve: Resolve): Resolve {
  let running = 0
  const bounded = (host: string): Effect.Effect<Resolution> =>
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
  return (host) =>
    Routine.dual(
      () => bounded(host),
      (at) => {
        const resolution = resolve(host)
        return answerTo(isRoutine(resolution) ? resolution : bounded(host), at)
      },
    )
}

/** The time limit begins with the look-up, not with the wait for it. */
function waitingForTurns(resolve: Resolve, turns: Effect.Semaphore): Resolve {
  return (host) => turns.withPermits(1)(inTime(resolve(host)))
}

/** Callers share the answer of a look-up of the same host that is in flight. */
function sharing(resolve: Resolve): Resolve {
  const inFlight = new Map<string, Deferred.Deferred<Resolution>>()
  return (host) =>
    Effect.gen(function* () {
      const known = inFlight.get(host)
      if (known !== undefined) return yield* Deferred.await(known)
      const answer = yield* Deferred.make<Resolution>()
      inFlight.set(host, answer)
      // The others get the answer even if the first caller is interrupted.
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
  return Routine.map(resolve(host), (resolution): UrlVerdict => {
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

/**
 * A scheme, two slashes and a host, without spaces, control characters and backslashes: the URL parser repairs all of these, and
 * the address that is called would not be the one that is kept and shown. Source: RFC 3986 §3.
 */
// eslint-disable-next-line no-control-regex -- control characters are what it excludes
const AS_WRITTEN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\\u0000-\u0020\u007f][^\\\u0000-\u0020\u007f]*$/i

function problemOfText(text: string, options: UrlPolicyOptions): UrlTextProblem | null {
  if ([...text].length > URL_LENGTH_MAX || !AS_WRITTEN.test(text) || !URL.canParse(text)) return "INVALID_URL"
  const url = new URL(text)
  const host = nameIn(url)
  if (url.username !== "" || url.password !== "" || host === "") return "INVALID_URL"
  const isLoopback = options.allowsLoopback && (host === "localhost" || isAllowedLoopback(host, options))
  if (url.protocol !== "https:" && !(isLoopback && url.protocol === "http:")) return "NOT_HTTPS"
  if (isAddress(host) && !isLoopback) return "BARE_IP_REJECTED"
  return null
}

/** Scheme, host and port; null for an invalid URL. */
export function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}

/** The URL parser has already converted decimal, octal and short forms of IPv4 to dotted ones. */
function nameIn(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "")
}

/**
 * The library detects names by throwing and catching errors, which is slower than a turn. Of a URL's hosts only IPv4
 * consists of digits and dots, and only IPv6 has colons. Source: WHATWG URL, host parsing.
 */
function isAddress(host: string): boolean {
  return /^[\d.]+$|:/.test(host) && ipaddr.isValid(host)
}

/** True for global unicast; IPv4 that is mapped or translated into IPv6 is checked as IPv4. */
function isPublic(address: string): boolean {
  if (!isAddress(address)) return false
  const judged = ipaddr.process(address)
  if (judged.range() !== "unicast") return false
  // IPv6 outside 2000::/3 has no global unicast yet, but the library calls the unassigned rest unicast too.
  return !(judged instanceof ipaddr.IPv6) || ((judged.parts[0] ?? 0) & 0xe000) === 0x2000
}

function isAllowedLoopback(address: string, options: UrlPolicyOptions): boolean {
  return options.allowsLoopback && isAddress(address) && ipaddr.process(address).range() === "loopback"
}
