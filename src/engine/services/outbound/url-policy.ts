/**
 * URL policy: which URLs the service may call. `https` on a named public host; checked when a URL is registered and
 * again at every send, and the connection is pinned to the addresses that were checked.
 */

import { Context, Effect, Layer } from "effect"
import ipaddr from "ipaddr.js"
import { HOST_LABEL_LENGTH_MAX, HOST_NAME_LENGTH_MAX, URL_LENGTH_MAX } from "../../../model/values/limits.ts"
import { Routine } from "../routine.ts"
import { NameLookup } from "./name-lookup.ts"
import { lookUpsForCalls, lookUpsForRequests } from "./shared-look-ups.ts"
import type { Owner } from "../owner-turns.ts"
import type { OwnedResolve } from "./shared-look-ups.ts"

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
     * Checks text and addresses, for a request of this owner. Bounded in time and in concurrent look-ups of the owner and of its
     * environment; beyond the bounds the caller is asked to retry.
     */
    readonly check: (url: string, owner: Owner) => Effect.Effect<UrlVerdict>
    /**
     * The same check for a call of this owner that is about to be sent. It waits for a free look-up, because no caller would
     * retry it.
     */
    readonly checkToSend: (url: string, owner: Owner) => Effect.Effect<UrlVerdict>
  }
>() {}

export function layerUrlPolicy(
  options: UrlPolicyOptions = { allowsLoopback: false },
): Layer.Layer<UrlPolicy, never, NameLookup> {
  return Layer.effect(
    UrlPolicy,
    Effect.gen(function* () {
      const { resolve } = yield* NameLookup
      const toRegister = lookUpsForRequests(resolve)
      const toSend = lookUpsForCalls(resolve)
      return {
        checkText: (url) => problemOfText(url, options),
        check: (url, owner) => checkUrl(url, { resolve: toRegister, owner, options }),
        checkToSend: (url, owner) => checkUrl(url, { resolve: toSend, owner, options }),
      }
    }),
  )
}

interface Checking {
  readonly resolve: OwnedResolve
  readonly owner: Owner
  readonly options: UrlPolicyOptions
}

function checkUrl(url: string, { resolve, owner, options }: Checking): Effect.Effect<UrlVerdict> {
  const detail = problemOfText(url, options)
  if (detail !== null) return Effect.succeed({ type: "refused", detail })
  const host = nameIn(new URL(url))
  if (isAddress(host)) return Effect.succeed({ type: "public", addresses: [host] })
  return Routine.map(resolve(host, owner), (resolution): UrlVerdict => {
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
  return isAddress(host) || canBeName(host) ? null : "INVALID_URL"
}

/** False for a name that no name server can know, which would otherwise look like a failure that passes. */
function canBeName(host: string): boolean {
  const name = host.replace(/\.$/, "")
  return (
    name.length <= HOST_NAME_LENGTH_MAX &&
    name.split(".").every((label) => label.length > 0 && label.length <= HOST_LABEL_LENGTH_MAX)
  )
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
