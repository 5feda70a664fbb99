/** An endpoint of the portal, as one value: it asks for a session, or for none. */

import { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import { ENVIRONMENTS } from "../../model/caller.ts"
import { Schema } from "effect"
import type { PortalCaller } from "../../services/portal/caller.ts"
import type { PortalRefusal } from "../../services/portal/refusals.ts"
import type { Visitor } from "../../services/portal/sessions.ts"
import type { Answer, Offer, Parameter, Query, SentBody } from "../endpoint.ts"
import { once } from "../endpoint.ts"
import { invalid } from "../errors.ts"

interface PortalOffer extends Offer {
  /** Beside `RATE_LIMITED` and the session's own. */
  readonly errors: Offer["errors"]
}

/** For anyone. */
export interface OpenEndpoint<R> extends PortalOffer {
  readonly asks: "anyone"
  readonly handle: (ask: OpenAsk) => Effect.Effect<PortalAnswer, PortalRefusal, R>
}

/** For people with a session. */
export interface MemberEndpoint<R> extends PortalOffer {
  readonly asks: "member"
  readonly handle: (ask: MemberAsk) => Effect.Effect<PortalAnswer, PortalRefusal, R>
}

export type PortalEndpoint<R> = MemberEndpoint<R> | OpenEndpoint<R>

export interface OpenAsk {
  readonly visitor: Visitor
  /** The path's `{id}`; empty where the path has none. */
  readonly id: string
  readonly query: Query
  /** Null when none was sent. */
  readonly body: SentBody | null
}

export interface MemberAsk extends OpenAsk {
  readonly caller: PortalCaller
}

export interface PortalAnswer extends Answer {
  /** A session that begins, or null for one that ends; absent: the cookie stays. */
  readonly cookie?: { readonly token: string; readonly maxAgeSeconds: number } | null
  /** Kept by the browser beyond the session, so that it is known at the next sign-in. */
  readonly device?: string
}

/** Which environment a request is about: the one that it names, else what the session's switch says. */
export const ENVIRONMENT_PARAMETER: Parameter = {
  in: "query",
  name: "environment",
  description:
    "Absent: what the session's development-mode switch says. Pages send it, so that a switch in another tab moves none of their commands.",
  schema: Schema.Literal(...ENVIRONMENTS),
}

export function environmentOf({ caller, query }: MemberAsk): Effect.Effect<Environment, PortalRefusal> {
  return Effect.flatMap(once(query, "environment"), (sent) => {
    if (sent === undefined) return Effect.succeed(caller.session.environment)
    const known = ENVIRONMENTS.find((environment) => environment === sent)
    return known === undefined
      ? Effect.fail(invalid("environment", `must be ${ENVIRONMENTS.join(" or ")}`))
      : Effect.succeed(known)
  })
}
