/**
 * URL policy: which URLs the service may call. `https` on a named public host; checked when a URL is registered and
 * again at every send, and the connection is pinned to the addresses that were checked.
 */

import { Context, Effect, Layer } from "effect"
import ipaddr from "ipaddr.js"
import { RESOLUTIONS_MAX, RESOLUTION_TIMEOUT_MS, URL_LENGTH_MAX } from "../../model/limits.ts"

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
    /** Text and addresses. Bounded in time; at most a fixed number of look-ups run at once. */
    readonly check: (url: string) => Effect.Effect<UrlVerdict>
  }
>() {}

export function layerUrlPolicy(
  options: UrlPolicyOptions = { allowsLoopback: false },
): Layer.Layer<UrlPolicy, never, NameLookup> {
  return Layer.effect(
    UrlPolicy,
    Effect.gen(function* () {
      const names = yield* NameLookup
      let running = 0
      const resolve = (host: string): Effect.Effect<Resolution> =>
        Effect.suspend(() => {
          if (running >= RESOLUTIONS_MAX) return Effect.succeed<Resolution>({ type: "unavailable" })
          running += 1
          return names.resolve(host).pipe(
            Effect.timeoutTo({
              duration: RESOLUTION_TIMEOUT_MS,
              onTimeout: (): Resolution => ({ type: "unavailable" }),
              onSuccess: (resolution) => resolution,
            }),
            Effect.ensuring(
              Effect.sync(() => {
                running -= 1
              }),
            ),
          )
        })
      const checkText = (url: string): UrlTextProblem | null => problemOfText(url, options)
      return { checkText, check: (url) => checkUrl(url, { resolve, options }) }
    }),
  )
}

function checkUrl(
  url: string,
  { resolve, options }: { resolve: (host: string) => Effect.Effect<Resolution>; options: UrlPolicyOptions },
): Effect.Effect<UrlVerdict> {
  const detail = problemOfText(url, options)
  if (detail !== null) return Effect.succeed({ type: "refused", detail })
  const host = hostOf(new URL(url))
  if (ipaddr.isValid(host)) return Effect.succeed({ type: "public", addresses: [host] })
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
  const host = hostOf(url)
  if (url.username !== "" || url.password !== "" || host === "") return "INVALID_URL"
  const isLoopback = options.allowsLoopback && (host === "localhost" || isAllowedLoopback(host, options))
  if (url.protocol !== "https:" && !(isLoopback && url.protocol === "http:")) return "NOT_HTTPS"
  if (ipaddr.isValid(host) && !isLoopback) return "BARE_IP_REJECTED"
  return null
}

/** The URL parser has already turned decimal, octal and short forms of IPv4 into dotted ones. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "")
}

/** True for global unicast; mapped and translated IPv4 inside IPv6 is judged as what it hides. */
function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const judged = ipaddr.process(address)
  if (judged.range() !== "unicast") return false
  // Outside 2000::/3 nothing of IPv6 is global unicast yet; the library calls the unassigned rest unicast too.
  return !(judged instanceof ipaddr.IPv6) || ((judged.parts[0] ?? 0) & 0xe000) === 0x2000
}

function isAllowedLoopback(address: string, options: UrlPolicyOptions): boolean {
  return options.allowsLoopback && ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback"
}
