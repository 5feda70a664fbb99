/** Instants in answers, as a schema. */

import { Schema } from "effect"
import { loggable } from "../../model/values/schema.ts"

/** UTC with three fractional digits. */
export const DateTime = loggable(
  Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } }),
)

/** A text that the request log may show: an id, or a code. */
export const LoggedText = loggable(Schema.String)

/** A figure that the request log may show. */
export const LoggedNumber = loggable(Schema.Number)
