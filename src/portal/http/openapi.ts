/**
 * The portal's document: like those of the other APIs, except that callers send a cookie and a header of the portal's
 * pages.
 */

import type { ErrorCode } from "../../model/errors.ts"
import { documentOf } from "../../http/openapi.ts"
import type { Part } from "../../http/document-part.ts"
import { CSRF_HEADER } from "./gate.ts"
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
    parameters: endpoint.method === "GET" ? endpoint.parameters : [...endpoint.parameters, CSRF_HEADER],
  }))
  const document = documentOf({
    title: "Portal API",
    endpoints: offers,
    baseUrl,
    bearer: "session",
    morePaths,
    errors: ANYONES,
    headers: ["X-Request-Id"],
  }) as Document
  const open = new Set(
    endpoints.filter(({ asks }) => asks === "anyone").map(({ operationId }) => operationId),
  )
  return {
    ...document,
    components: {
      ...document.components,
      securitySchemes: { session: { type: "apiKey", in: "cookie", name: cookie } },
    },
    paths: mapValues(document.paths, (operations) =>
      mapValues(operations, (operation) => ({
        ...operation,
        ...(open.has(operation.operationId) ? { security: [] } : {}),
        responses: mapValues(operation.responses, withoutChallenge),
      })),
    ),
  }
}

interface Operation extends Part {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Part>>
}

interface Document extends Part {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Part
}

/** A cookie is not a scheme for `WWW-Authenticate`. */
function withoutChallenge(response: Part): Part {
  const headers = Object.entries((response["headers"] ?? {}) as Part)
  return {
    ...response,
    headers: Object.fromEntries(headers.filter(([name]) => name !== "WWW-Authenticate")),
  }
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, each: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, each(value)]))
}
