/**
 * A change with a session must come from the host's own pages: a page of another site cannot use the cookie of a browser.
 * Browsers send where a request comes from; a request without that is from no browser, or from an old one.
 */

import type { FastifyRequest } from "fastify"
import { TurnedAway } from "../../model/values/errors.ts"

/** How the changes of one set of pages are known. */
export interface OwnPages {
  /** Scheme and host of the pages. */
  readonly baseUrl: string
  /**
   * Their scripts send it as `1`. A page of another site can send it only after a preflight, which the hosts do not
   * answer. Absent where a form key does the same, and where forms work without a script.
   */
  readonly header?: string
}

/** Checked before the body is read. Reads pass. */
export function requireOwnPages(request: FastifyRequest, { baseUrl, header }: OwnPages): void {
  if (request.method === "GET" || request.method === "HEAD") return
  if (header !== undefined && request.headers[header.toLowerCase()] !== "1") throw foreign()
  requireSameOrigin(request, baseUrl)
}

/** The hook of a route, or of several, that are for changes. */
export function ownPagesOnly(pages: OwnPages): (request: FastifyRequest) => Promise<void> {
  return async (request) => requireOwnPages(request, pages)
}

/** Also for a read that a page of another site must not begin: a stream occupies a connection. */
export function requireSameOrigin({ headers }: FastifyRequest, baseUrl: string): void {
  const { host = "", origin, "sec-fetch-site": site } = headers
  const isOwn =
    (origin === undefined || ownOrigins(new URL(baseUrl), host).includes(origin)) &&
    (site === undefined || site === "same-origin" || site === "none")
  if (!isOwn) throw foreign()
}

/**
 * The host's URL, and the name by which the request came: the host's gate has refused names that are not the host's. The scheme is
 * that of the URL or `https`, except on this machine, where an administrator opens pages without the proxy.
 */
function ownOrigins({ origin, protocol }: URL, host: string): readonly string[] {
  const isThisMachine = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host)
  return [origin, `${protocol}//${host}`, `https://${host}`, ...(isThisMachine ? [`http://${host}`] : [])]
}

function foreign(): TurnedAway {
  return new TurnedAway({ code: "CROSS_SITE_REQUEST" })
}
