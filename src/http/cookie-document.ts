/** OpenAPI documents of pages' APIs: like those of the other APIs, except that callers send a cookie. */

import type { Part } from "./document-part.ts"
import type { Offer } from "./endpoint.ts"
import { documentOf } from "./openapi.ts"
import type { Surface } from "./openapi.ts"

interface CookieSurface<One extends Offer> extends Omit<Surface<One>, "bearer"> {
  /** The name of the session's cookie. */
  readonly cookie: string
  /** The operations that need no session, by id. */
  readonly open: ReadonlySet<string>
}

export function cookieDocumentOf<One extends Offer>({ cookie, open, ...surface }: CookieSurface<One>): Part {
  const document = documentOf({ ...surface, bearer: "session" }) as Document
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
