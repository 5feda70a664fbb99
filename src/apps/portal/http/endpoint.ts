/** An endpoint of the portal, as one value, with or without a session. */

import { Effect } from "effect"
import type { Environment, Partner } from "../../../model/caller.ts"
import { ENVIRONMENTS } from "../../../model/caller.ts"
import { Schema } from "effect"
import type { AnySchema } from "../../../model/values/schema.ts"
import { partnerOf } from "../caller.ts"
import type { PortalCaller } from "../caller.ts"
import type { PortalRefusal } from "../refusals.ts"
import type { Visitor } from "../people/sessions.ts"
import type {
  Answer,
  Declared,
  NeedsOf,
  Offer,
  Parameter,
  Query,
  SentBody,
  Step,
} from "../../../http/endpoint.ts"
import { complete, once } from "../../../http/endpoint.ts"
import { invalid } from "../../../http/errors.ts"

export interface PortalOffer extends Offer {
  /** In addition to `RATE_LIMITED` and the session's own. */
  readonly errors: Offer["errors"]
}

/** An endpoint without a session. */
export interface OpenEndpoint<R> extends PortalOffer {
  readonly asks: "anyone"
  readonly handle: (ask: OpenAsk) => Effect.Effect<PortalAnswer, PortalRefusal, R>
}

/** An endpoint for people with a session. */
export interface MemberEndpoint<R> extends PortalOffer {
  readonly asks: "member"
  readonly handle: (ask: MemberAsk) => Effect.Effect<PortalAnswer, PortalRefusal, R>
}

export type PortalEndpoint<R> = MemberEndpoint<R> | OpenEndpoint<R>

export interface OpenAsk {
  readonly visitor: Visitor
  /** The path's `{id}`; empty if the path has none. */
  readonly id: string
  readonly query: Query
  /** Null when no body was sent. */
  readonly body: SentBody | null
}

export interface MemberAsk extends OpenAsk {
  readonly caller: PortalCaller
}

export interface PortalAnswer extends Answer {
  /** A session that begins, or null for one that ends; by default the cookie stays. */
  readonly cookie?: { readonly token: string; readonly maxAgeSeconds: number } | null
  /** Stays in the browser after the session, so that the next sign-in recognizes it. */
  readonly device?: string
}

export function memberEndpoint<S extends Step<PortalRefusal>, Body extends AnySchema | null = null>(
  declared: Omit<Declared<MemberEndpoint<never>, MemberAsk, PortalAnswer, Body, S>, "asks">,
): MemberEndpoint<NeedsOf<S>> {
  return complete({ ...declared, asks: "member" })
}

export function openEndpoint<S extends Step<PortalRefusal>, Body extends AnySchema | null = null>(
  declared: Omit<Declared<OpenEndpoint<never>, OpenAsk, PortalAnswer, Body, S>, "asks">,
): OpenEndpoint<NeedsOf<S>> {
  return complete({ ...declared, asks: "anyone" })
}

/** The environment of a request: the one that it names, otherwise the session's switch. */
export const ENVIRONMENT_PARAMETER: Parameter = {
  in: "query",
  name: "environment",
  description:
    "Absent: what the session's development-mode switch says. Pages send it, so that a switch in another tab moves none of their commands.",
  schema: Schema.Literal(...ENVIRONMENTS),
}

/** What every read of the session's environment has in common. */
export const READS = {
  method: "GET",
  asks: "member",
  parameters: [ENVIRONMENT_PARAMETER],
  body: null,
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
} as const

export function environmentOf({ caller, query }: MemberAsk): Effect.Effect<Environment, PortalRefusal> {
  return Effect.flatMap(once(query, "environment"), (sent) => {
    if (sent === undefined) return Effect.succeed(caller.session.environment)
    const known = ENVIRONMENTS.find((environment) => environment === sent)
    return known === undefined
      ? Effect.fail(invalid("environment", `must be ${ENVIRONMENTS.join(" or ")}`))
      : Effect.succeed(known)
  })
}

/** The organization in the request's environment, as the caller of a service. */
export function partnerIn(ask: MemberAsk): Effect.Effect<Partner, PortalRefusal> {
  return Effect.flatMap(environmentOf(ask), (environment) => partnerOf(ask.caller, environment))
}
