/** An API for callers with a key: the routes of its endpoints, and its document. */

import type { FastifyInstance } from "fastify"
import type { ErrorCode } from "../model/values/errors.ts"
import type { Admission } from "./access/admission.ts"
import type { Endpoint } from "./endpoint.ts"
import { addEndpoint } from "./keyed-endpoint.ts"
import type { KeyedSurface } from "./keyed-endpoint.ts"
import { addApiDocument } from "./bodies/api-document.ts"
import { documentOf } from "./openapi.ts"
import type { Surface } from "./openapi.ts"

/** Errors of every endpoint with a key. */
const KEYED_ERRORS: readonly ErrorCode[] = [
  "INVALID_API_KEY",
  "WRONG_ENV_KEY",
  "ORG_INACTIVE",
  "PERMISSION_DENIED",
  "RATE_LIMITED",
  "OVERLOADED",
  "INTERNAL_ERROR",
  "UNAVAILABLE",
]

interface KeyedApi<R>
  extends
    Pick<KeyedSurface<NoInfer<R> | Admission>, "environment" | "run">,
    Partial<Pick<KeyedSurface<R>, "done" | "isForFleetPartners">>,
    Pick<Surface<Endpoint<R>>, "endpoints" | "envelope" | "examples" | "morePaths" | "title" | "webhooks"> {
  /** The document is `/openapi/{name}.json`. */
  readonly name: string
  /** Public URL for the document; absent: relative to the document. */
  readonly baseUrl?: string | undefined
  /** Errors of every endpoint beside those of the key. */
  readonly errors?: readonly ErrorCode[]
}

/** Requires the hooks of `gate.ts` on the instance, and bodies as bytes. */
export function addKeyedApi<R>(app: FastifyInstance, api: KeyedApi<R>): void {
  const { name, endpoints, run, environment, baseUrl, errors = [], ...document } = api
  const { isForFleetPartners = false, done = { success: true }, ...described } = document
  for (const endpoint of endpoints) addEndpoint(app, endpoint, { run, environment, isForFleetPartners, done })
  const write = () =>
    documentOf({
      ...described,
      endpoints,
      baseUrl,
      bearer: "key",
      errors: [...KEYED_ERRORS, ...(isForFleetPartners ? (["NOT_FLEET_PARTNER"] as const) : []), ...errors],
      headers: ["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
      describe: ({ permissions }) => `Needs ${permissions.map((one) => `\`${one}\``).join(" and ")}.`,
    })
  addApiDocument(app, name, write)
}
