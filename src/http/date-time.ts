/** Instants in answers, as a schema. */

import { Schema } from "effect"

/** UTC with three fractional digits. */
export const DateTime = Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } })
