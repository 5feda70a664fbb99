/** Metadata of clients: what registrations and metadata documents have in common. Source: RFC 7591 §2. */

import { Schema } from "effect"
import { SERVICE_NAME } from "../../model/linking.ts"
import { CLIENT_NAME_LENGTH_MAX } from "../../model/values/limits.ts"
import { claimsToBeTheService, shownName } from "./client-name.ts"

/** Our choices A17 and A18. */
export const ClientName = Schema.String.pipe(
  Schema.filter((name) => {
    const length = [...name.trim()].length
    if (length < 1 || length > CLIENT_NAME_LENGTH_MAX) {
      return `must be 1 to ${CLIENT_NAME_LENGTH_MAX} characters after trimming`
    }
    if (!name.isWellFormed() || name.includes("\0")) return "must be plain text"
    if (claimsToBeTheService(name)) return `must not look like the name of this service, ${SERVICE_NAME}`
    return shownName(name) !== "" || "must hold something that can be shown"
  }),
)

/** Null is no value. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })
