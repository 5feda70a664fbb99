/** The OpenAPI 3.1 document of the Reservations API: its endpoints and its photos. */

import type { ErrorCode } from "../../../model/errors.ts"
import type { Endpoint } from "../../../http/endpoint.ts"
import { documentOf, failures, pathParameters, tagOf } from "../../../http/openapi.ts"
import type { Part } from "../../../http/document-part.ts"
import { examplesOf } from "../../../http/recorded-examples.ts"
import { reservationEvents } from "./events.ts"
import { PHOTO_MEDIA_TYPES, PHOTO_PATH } from "./photos.ts"

/** Errors of every endpoint with a key. */
const KEYED_ERRORS: readonly ErrorCode[] = [
  "INVALID_API_KEY",
  "WRONG_ENV_KEY",
  "ORG_INACTIVE",
  "NOT_FLEET_PARTNER",
  "PERMISSION_DENIED",
  // Any path may be sent an invalid query string or two idempotency keys.
  "VALIDATION_ERROR",
  "RATE_LIMITED",
  "OVERLOADED",
  "INTERNAL_ERROR",
  "UNAVAILABLE",
]

export function openApi(endpoints: readonly Endpoint<unknown>[], baseUrl: string | undefined): Part {
  return documentOf({
    title: "Reservations API",
    endpoints,
    baseUrl,
    bearer: "key",
    errors: KEYED_ERRORS,
    headers: ["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
    describe: ({ permissions }) =>
      `Needs ${permissions.map((permission) => `\`${permission}\``).join(" and ")}.`,
    morePaths: { [PHOTO_PATH]: { get: photoOperation() } },
    webhooks: reservationEvents,
    examples: examplesOf("rs"),
  })
}

function photoOperation(): Part {
  const query = (name: string, schema: Part): Part => ({ in: "query", name, required: true, schema })
  const content = PHOTO_MEDIA_TYPES.map((type) => [type, {}])
  return {
    operationId: "readPhoto",
    summary: "A load photo behind its signed link, as `load_photo_url` gives it",
    tags: [tagOf(PHOTO_PATH)],
    security: [],
    parameters: [
      ...pathParameters(PHOTO_PATH),
      query("exp", { type: "string" }),
      query("sig", { type: "string" }),
    ],
    responses: {
      200: { description: "The photo.", content: Object.fromEntries(content) },
      ...failures(["NOT_FOUND", "INTERNAL_ERROR", "UNAVAILABLE"], ["X-Request-Id"], examplesOf("rs")),
    },
  }
}
