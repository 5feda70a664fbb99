/**
 * Endpoints as they are written down. What is left out follows from the rest: there are no parameters, no body, no errors of its own. The
 * handler is a generator, which gives the `data` of the only answer that the endpoint has, or a whole answer.
 */

import { Effect } from "effect"
import type { Schema } from "effect"
import type { YieldWrap } from "effect/Utils"
import type { AnySchema } from "../model/values/schema.ts"
import type { Refused } from "../model/values/errors.ts"
import { decodeBody, decodeOptionalBody } from "./endpoint.ts"
import type { Answer, Offer, SentBody } from "./endpoint.ts"

/** What a handler yields: an Effect that may fail with these errors. */
export type Step<E> = YieldWrap<Effect.Effect<unknown, E, unknown>>

/** The services that the steps of a handler need. */
export type NeedsOf<S> = S extends YieldWrap<infer One> ? Effect.Effect.Context<Extract<One, AnyEffect>> : never

type AnyEffect = Effect.Effect<unknown, unknown, unknown>

/** The decoded body, once a handler asks for it. */
type Sent<Body> = Body extends AnySchema ? Effect.Effect<Schema.Schema.Type<Body>, Refused> : undefined

export type Declared<Made extends Offer, Asked, Given extends Answer, Body, S> = Omit<
  Made,
  "body" | "errors" | "handle" | "parameters"
> &
  Partial<Pick<Made, "errors" | "parameters">> & {
    readonly body?: Body
    readonly handle: (ask: Asked, sent: Sent<Body>) => Generator<S, Given | Given["data"], never>
  }

interface AnyDeclared {
  readonly body?: AnySchema | null
  readonly isBodyOptional?: boolean
  readonly answers: Offer["answers"]
  readonly handle: (ask: never, sent: never) => Generator<never, object, never>
}

/** The endpoint with everything that a route and the document read; its type follows from the declaration. */
export function complete<Made extends Offer>(declared: object): Made {
  const { body = null, isBodyOptional = false, answers, handle } = declared as AnyDeclared
  const status = Number(Object.keys(answers)[0])
  const decode = isBodyOptional ? decodeOptionalBody : decodeBody
  const sentIn = (ask: { readonly body: SentBody | null }): unknown =>
    body === null ? undefined : Effect.suspend(() => decode(body, ask.body))
  const answer = (given: object): Answer => (isWhole(given) ? given : { status, data: given })
  const made = {
    parameters: [],
    errors: [],
    ...declared,
    body,
    handle: (ask: never) =>
      Effect.map(
        Effect.gen(() => handle(ask, sentIn(ask) as never)),
        answer,
      ),
  }
  return made as unknown as Made
}

function isWhole(given: object): given is Answer {
  return "status" in given && "data" in given
}
