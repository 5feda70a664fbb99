/** The path of load photos, which is no endpoint, for the OpenAPI document. */

import { failures, pathParameters, tagOf } from "../../../http/openapi.ts"
import type { Part } from "../../../http/document-part.ts"
import { examplesOf } from "../../../http/recorded-examples.ts"
import { PHOTO_MEDIA_TYPES, PHOTO_PATH } from "./photos.ts"

export const photoPath: Readonly<Record<string, Part>> = { [PHOTO_PATH]: { get: photoOperation() } }

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
