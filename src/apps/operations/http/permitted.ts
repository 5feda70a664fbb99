/** Applies the rights of operators to what a request names, and to an answer before it leaves. */

import { Effect } from "effect"
import type { Operator } from "../../../model/caller.ts"
import type { Refused } from "../../../model/values/errors.ts"
import { roleOf } from "../permitted.ts"
import type { Named } from "../permitted.ts"
import { withoutPeople } from "./people.ts"
import { jsonOf } from "../../../http/bodies/json-body.ts"
import type { SentBody } from "../../../http/endpoint.ts"
import { invalid } from "../../../http/errors.ts"
import type { Right } from "../rights.ts"

/** What a request names: the path's `{id}`, and its body. */
export function namedIn(id: string, body: SentBody | null = null): Named {
  return { id, idIn: (field) => idIn(body, field) }
}

/** The text in a field of the body. The endpoint checks the rest of it. */
function idIn(body: SentBody | null, field: string): Effect.Effect<string, Refused> {
  const named: unknown = Object(body === null ? null : jsonOf(body.bytes))[field]
  return typeof named === "string"
    ? Effect.succeed(named)
    : Effect.fail(invalid(field, "must name one of your sites or something there"))
}

/** An answer without rows of other sites, and for viewers without personal data. */
export function permittedData<Data extends object>({ sites }: Right, caller: Operator, data: Data): Data {
  const { siteIds = null } = caller
  const hasRows = typeof sites === "object" && "rows" in sites
  const own = siteIds === null || !hasRows ? data : ofSites(data, sites.rows, siteIds)
  return roleOf(caller) === "viewer" ? withoutPeople(own) : own
}

function ofSites<Data extends object>(data: Data, field: string, siteIds: readonly string[]): Data {
  const rows = (data as Readonly<Record<string, unknown>>)[field]
  if (!Array.isArray(rows)) throw new Error(`the answer has no list ${field} to choose from`)
  const isOwn = (row: { readonly site_id?: string | null }): boolean =>
    row.site_id !== undefined && row.site_id !== null && siteIds.includes(row.site_id)
  return { ...data, [field]: rows.filter(isOwn) }
}
