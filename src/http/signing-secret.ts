/** The signing secret of an endpoint in answers, as a schema. */

import { Schema } from "effect"

export const SigningSecret = Schema.String.annotations({
  jsonSchema: {
    type: "string",
    pattern: "^(whsec_[0-9a-f]{48}|…[0-9a-f]{4})$",
    description: "Whole in the answer that makes it; masked in all others.",
  },
})

/** What a receiver must know of a new secret. */
export const ROTATION =
  "A new secret signs every attempt that begins after the answer. One that is on its way has the old signature: accept both " +
  "secrets for some minutes."
