/**
 * An endpoint as one value: its documentation, its requirements, and its handler. Routes and the OpenAPI document are
 * both made from these values, so that they always agree.
 */

import { Effect, Either } from "effect"
import type { Schema } from "effect"
import type { YieldWrap } from "effect/Utils"
import type { Partner, Permission } from "../model/caller.ts"
import { Refused } from "../model/values/errors.ts"
import type { ErrorCode, FieldProblem, TurnedAway } from "../model/values/errors.ts"
import { NOT_AN_INSTANT, decodeRequest, isInstant } from "../model/values/schema.ts"
import type { AnySchema } from "../model/values/schema.ts"
import type { BudgetName } from "./access/rate-limits.ts"
import { jsonOf } from "./bodies/json-body.ts"
import { invalid } from "./errors.ts"
import type { Callback } from "./webhook-document.ts"
import { Routine } from "../engine/services/routine.ts"

/** The document's part of an endpoint, in every API. */
export interface Offer {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  /** Parameters are in braces, such as `{id}`. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  /** What a caller must know beside the summary. */
  readonly details?: string
  /** What the service sends to addresses that the call names. */
  readonly callbacks?: readonly Callback[]
  readonly parameters: readonly Parameter[]
  /** Schema of a JSON body; null for no body, and for a body of `mediaTypes`. */
  readonly body: AnySchema | null
  /** The body is bytes of one of these types. */
  readonly mediaTypes?: readonly string[]
  /** True when an absent body means an empty object. */
  readonly isBodyOptional?: boolean
  /** The schema of `data`, by status. */
  readonly answers: Readonly<Record<number, AnySchema>>
  /** The schemas of fields beside `data`, by name. */
  readonly beside?: Readonly<Record<string, AnySchema>>
  /** Errors in addition to those of every endpoint of its API. */
  readonly errors: readonly ErrorCode[]
}

/** An endpoint that requires a key. */
export interface Endpoint<R> extends Offer {
  readonly permissions: readonly Permission[]
  /** The command that an audit log notes, where a request runs several; absent: the first. */
  readonly notes?: string
  readonly budget: BudgetName
  readonly handle: (ask: Ask) => Effect.Effect<Answer, Refused | TurnedAway, R>
  /** True for reads that follow a list: the request log leaves them out. */
  readonly isUnlogged?: true
  /**
   * Present: the request waits as many seconds as `wait` of its query says, while this is the query of its next look.
   * Null: the answer is ready.
   */
  readonly waitsWith?: (answer: Answer, query: Query) => Query | null
}

/** One of the sandbox's API that keys and sessions may call alike. */
export interface SandboxEndpoint<R> extends Endpoint<R> {
  readonly handle: (ask: Pick<Ask, "body" | "caller" | "id">) => ReturnType<Endpoint<R>["handle"]>
}

export interface Parameter {
  readonly in: "header" | "query"
  readonly name: string
  readonly description: string
  readonly schema: AnySchema
  /** For the document; the check is part of the request's schema. */
  readonly isRequired?: boolean
  /** True when it may be sent more than once. */
  readonly isRepeatable?: boolean
}

/** A request of an admitted caller. Only the caller has been checked. */
export interface Ask {
  readonly caller: Partner
  /** The path's `{id}`; empty if the path has none. */
  readonly id: string
  /** The path's parameters by name, including `id`. */
  readonly parts: Readonly<Record<string, string>>
  readonly query: Query
  readonly header: (name: string) => string | undefined
  /** Null when no body was sent. */
  readonly body: SentBody | null
  /** The number of the request in this process, counted when its head had arrived. */
  readonly arrival: number
}

/** What a handler yields: an Effect that may fail with these errors. */
export type Step<E> = YieldWrap<Effect.Effect<unknown, E, unknown>>

/** The services that the steps of a handler need. */
export type NeedsOf<S> =
  S extends YieldWrap<infer One> ? Effect.Effect.Context<Extract<One, AnyEffect>> : never

type AnyEffect = Effect.Effect<unknown, unknown, unknown>

/** The decoded body, once a handler asks for it. */
type Sent<Body> = Body extends AnySchema ? Effect.Effect<Schema.Schema.Type<Body>, Refused> : undefined

/**
 * An endpoint as it is written down. What it leaves out follows: no parameters, no body, no errors but `VALIDATION_ERROR` where there is
 * input. Its handler gives the `data` of its first answer, or a whole answer.
 */
export type Declared<Made extends Offer, Asked, Given extends Answer, Body, S> = Omit<
  Made,
  "body" | "errors" | "handle" | "parameters"
> &
  Partial<Pick<Made, "errors" | "parameters">> & {
    readonly body?: Body
    readonly handle: (ask: Asked, sent: Sent<Body>) => Generator<S, Given | Given["data"], never>
  }

interface AnyDeclared {
  readonly parameters?: Offer["parameters"]
  readonly body?: AnySchema | null
  readonly errors?: Offer["errors"]
  readonly isBodyOptional?: boolean
  readonly answers: Offer["answers"]
  readonly handle: (ask: never, sent: never) => Generator<never, object, never>
}

/** The endpoint with everything that a route and the document read; its type follows from the declaration. */
export function complete<Made extends Offer>(declared: object): Made {
  const { parameters = [], body = null, errors = [], ...others } = declared as AnyDeclared
  const { isBodyOptional = false, answers, handle } = others
  const mayBeInvalid = body !== null || parameters.length > 0
  const status = Number(Object.keys(answers)[0])
  const decode = isBodyOptional ? decodeOptionalBody : decodeBody
  const sentIn = (ask: { readonly body: SentBody | null }): unknown =>
    body === null ? undefined : Effect.suspend(() => decode(body, ask.body))
  const answer = (given: object): Answer => (isWhole(given) ? given : { status, data: given })
  const made = {
    ...others,
    parameters,
    body,
    errors: mayBeInvalid ? [...new Set(["VALIDATION_ERROR", ...errors])] : errors,
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

/** A body as it was received. */
export interface SentBody {
  readonly bytes: Uint8Array
  /** True when its content type is JSON. */
  readonly isJson: boolean
}

/** The body of a request; null when none was sent. Content types of JSON: RFC 8259 §11, RFC 6839 §3.1. */
export function sentBody(bytes: Uint8Array | undefined, contentType: string | undefined): SentBody | null {
  return bytes === undefined ? null : { bytes, isJson: JSON_TYPE.test(contentType ?? "") }
}

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i

/** A parameter that was sent more than once is a list. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

export interface Answer {
  readonly status: number
  readonly data: object
  /** Fields beside `data`, such as the page of a list. */
  readonly beside?: object
}

/** Reads a JSON object and decodes it. */
export function decodeBody<A, I>(schema: Schema.Schema<A, I>, body: SentBody | null): Routine<A, Refused> {
  return Routine.flatMap(readObject(body), (value) => decodeRequest(schema, value))
}

/** The same, with an absent body as an empty object. */
export function decodeOptionalBody<A, I>(
  schema: Schema.Schema<A, I>,
  body: SentBody | null,
): Effect.Effect<A, Refused> {
  return isEmpty(body) ? decodeRequest(schema, {}) : decodeBody(schema, body)
}

/** A parameter that may be sent only once. */
export function once(query: Query, name: string): Either.Either<string | undefined, Refused> {
  const value = query[name]
  return value === undefined || typeof value === "string"
    ? Either.right(value)
    : Either.left(invalid(name, "must be sent once"))
}

/** Reads and decodes the parameters of a query; unknown ones are ignored. */
export function decodeQuery<A, I>(
  schema: Schema.Schema<A, I>,
  query: Query,
  parameters: readonly Parameter[],
): Routine<A, Refused> {
  return Routine.flatMap(filtersIn(query, parameters), (filters) =>
    Either.mapLeft(decodeRequest(schema, filters), (refused) => withHint(refused, filters)),
  )
}

/** A `+` in a query means a space, so the time of a caller who writes it as it is has lost its sign. */
function withHint({ code, problems = [] }: Refused, filters: Filters): Refused {
  const hasLostPlus = ({ field, message }: FieldProblem): boolean => {
    const value = filters[field]
    return (
      message.startsWith(NOT_AN_INSTANT) && typeof value === "string" && isInstant(value.replace(" ", "+"))
    )
  }
  const hinted = problems.map((one) =>
    hasLostPlus(one) ? { ...one, message: `${one.message}; in a query, write + as %2B` } : one,
  )
  return new Refused({ code, problems: hinted })
}

type Filters = Readonly<Record<string, unknown>>

/** The query as an object for the schema, which reports invalid values. */
function filtersIn(query: Query, parameters: readonly Parameter[]): Routine<Filters, Refused> {
  return Routine.gen(function* () {
    const filters: Record<string, unknown> = {}
    for (const { name, isRepeatable } of parameters) {
      const value = isRepeatable === true ? query[name] : yield* once(query, name)
      if (value === undefined) continue
      filters[name] = isRepeatable === true ? [value].flat() : value
    }
    for (const name of NUMBERS) {
      const value = filters[name]
      if (typeof value === "string" && /^\d{1,9}$/.test(value)) filters[name] = Number(value)
    }
    return filters
  })
}

/** Parameters that the schema reads as numbers. */
const NUMBERS = ["limit", "wait"]

function readObject(body: SentBody | null): Either.Either<object, Refused> {
  if (body === null || isEmpty(body)) return Either.left(invalid("body", "must be a JSON object, is empty"))
  if (!body.isJson) return Either.left(invalid("Content-Type", "must be application/json"))
  const value = jsonOf(body.bytes)
  if (value === undefined) return Either.left(invalid("body", "must be a JSON object, is not JSON in UTF-8"))
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? withoutPrototype(value)
    : Either.left(invalid("body", "must be a JSON object"))
}

/** JSON may contain a field `__proto__`, which a copy would assign as the object's prototype. */
function withoutPrototype(body: object): Either.Either<object, Refused> {
  return Object.hasOwn(body, "__proto__")
    ? Either.left(invalid("__proto__", "is no name of a field"))
    : Either.right(body)
}

function isEmpty(body: SentBody | null): boolean {
  return body === null || body.bytes.length === 0
}
