/**
 * The portal's document: like those of the other APIs, except that callers send a cookie and a header of the portal's
 * pages.
 */

import type { ErrorCode } from "../../../model/values/errors.ts"
import { cookieDocumentOf } from "../../../http/cookie-document.ts"
import type { Part } from "../../../http/document-part.ts"
import { PORTAL_HEADER } from "./gate.ts"
import type { PortalEndpoint } from "./endpoint.ts"

const ANYONES: readonly ErrorCode[] = ["RATE_LIMITED", "INTERNAL_ERROR", "OVERLOADED", "UNAVAILABLE"]
const MEMBERS: readonly ErrorCode[] = ["SIGN_IN_REQUIRED", "ORG_INACTIVE"]
const COMMANDS: readonly ErrorCode[] = ["CROSS_SITE_REQUEST"]

export function portalDocument(
  endpoints: readonly PortalEndpoint<unknown>[],
  {
    baseUrl,
    cookie,
    morePaths,
  }: {
    readonly baseUrl: string
    readonly cookie: string
    readonly morePaths: Readonly<Record<string, Part>>
  },
): Part {
  const offers = endpoints.map((endpoint) => ({
    ...endpoint,
    errors: [
      ...new Set([
        ...endpoint.errors,
        ...(endpoint.asks === "member" ? MEMBERS : []),
        ...(endpoint.method === "GET" ? [] : COMMANDS),
      ]),
    ],
    parameters: endpoint.method === "GET" ? endpoint.parameters : [...endpoint.parameters, PORTAL_HEADER],
  }))
  const open = endpoints.filter(({ asks }) => asks === "anyone").map(({ operationId }) => operationId)
  return cookieDocumentOf({
    title: "Portal API",
    endpoints: offers,
    baseUrl,
    cookie,
    open: new Set(open),
    morePaths,
    errors: ANYONES,
    headers: ["X-Request-Id"],
  })
}
