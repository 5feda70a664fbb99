/**
 * `x-retailer-id`: the site of a call. All routes of this API are made here, so that the header is checked the same way
 * on each of them: after the caller, and before query, body and resource.
 */

import { Effect, Schema } from "effect"
import type { Permission } from "../../../model/caller.ts"
import type { ErrorCode, Refused } from "../../../model/values/errors.ts"
import { DirectDelivery } from "../direct-delivery.ts"
import type { DeliverySite } from "../rows.ts"
import type { Answer, Ask, Endpoint, Parameter } from "../../../http/endpoint.ts"

const SITE_HEADER = "x-retailer-id"

const SITE_ERRORS: readonly ErrorCode[] = ["VALIDATION_ERROR", "RETAILER_NOT_FOUND", "RETAILER_INACTIVE"]

interface SiteOffer<R> extends Omit<Endpoint<R>, "handle" | "permissions"> {
  readonly permission: Permission
}

/** A call about one site: the header is required. */
export interface OfSite<R> extends SiteOffer<R> {
  readonly needsSite: true
  readonly handle: (ask: Ask & { readonly site: DeliverySite }) => Effect.Effect<Answer, Refused, R>
}

/** A call about an organization, which may name one of its sites. */
export interface OfOrganization<R> extends SiteOffer<R> {
  readonly needsSite: false
  readonly handle: (ask: Ask & { readonly site: DeliverySite | null }) => Effect.Effect<Answer, Refused, R>
}

/** A call about one site that the service itself checks: it reads the site and its own rows in one round trip. */
export interface OfServiceSite<R> extends SiteOffer<R> {
  readonly needsSite: "the service judges it"
  readonly handle: (ask: Ask & { readonly site: string | undefined }) => Effect.Effect<Answer, Refused, R>
}

export type SiteEndpoint<R> = OfOrganization<R> | OfServiceSite<R> | OfSite<R>

/** Adds the header, its errors and its check to an endpoint. */
export function atSite<R>(endpoint: SiteEndpoint<R>): Endpoint<DirectDelivery | R> {
  const { permission, needsSite, parameters, errors } = endpoint
  return {
    ...endpoint,
    permissions: [permission],
    parameters: [needsSite === false ? OPTIONAL : REQUIRED, ...parameters],
    errors: [...new Set([...SITE_ERRORS, ...errors])],
    handle: (ask) =>
      Effect.gen(function* () {
        const sent = ask.header(SITE_HEADER)
        if (endpoint.needsSite === "the service judges it")
          return yield* endpoint.handle({ ...ask, site: sent })
        if (!endpoint.needsSite && sent === undefined) return yield* endpoint.handle({ ...ask, site: null })
        const sites = yield* DirectDelivery
        const site = yield* sites.enter(ask.caller, sent, permission)
        return yield* endpoint.handle({ ...ask, site })
      }),
  }
}

/** For the document: the service itself reports which field was wrong. */
const SiteHeaderValue = Schema.String.annotations({
  jsonSchema: {
    type: "string",
    format: "uuid",
    pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
  },
})

const REQUIRED: Parameter = {
  in: "header",
  name: SITE_HEADER,
  description: "The site's UUID.",
  schema: SiteHeaderValue,
  isRequired: true,
}

const OPTIONAL: Parameter = {
  in: "header",
  name: SITE_HEADER,
  description:
    "A site's UUID. An endpoint registered with it gets events of that site only; every other call is about the whole " +
    "organization, and refused all the same if the site is.",
  schema: SiteHeaderValue,
}
