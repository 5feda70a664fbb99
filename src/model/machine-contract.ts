/**
 * The contract of a machine: its start input, its events, its replies, the events that it publishes, and the facts and
 * results of its decisions. Each is declared once, as a Schema; the types of the machine and of its callers are derived
 * from it. Turns decode nothing: only values that a person or a file wrote are decoded.
 */

import { Schema, SchemaAST } from "effect"
import { isRefusalCode } from "./values/errors.ts"
import type { EpochMs, Stamped } from "./values/time.ts"
import type { PublishVerb, ReplyVerb, Verb } from "./verbs.ts"

/** A Schema that needs no services. */
type AnySchema = Schema.Schema.AnyNoContext
type Schemas = Readonly<Record<string, AnySchema>>

export interface DecisionContract {
  /** Types of the events that the decision is about; `@start` is the start input. */
  readonly about: readonly string[]
  /** What the decision reads outside the group. */
  readonly facts: AnySchema
  /** A result with `refusal` refuses the start that it is about. */
  readonly result: AnySchema
}

export interface MachineContract {
  readonly input: AnySchema
  /** The fields of each event, by its type. */
  readonly events: Schemas
  /** The fields of its answers to commands. */
  readonly reply: AnySchema
  /** The additional fields of each event that it publishes. */
  readonly publishes: Schemas
  /** By name and version. */
  readonly decisions: Readonly<Record<string, DecisionContract>>
  /** Why an operator may not send some or any of the events by hand. */
  readonly notByHand: string | Readonly<Record<string, string>>
}

type Given = Pick<MachineContract, "events" | "input"> & Partial<MachineContract>

type Whole<C extends Given> = C & Omit<typeof NOTHING_MORE, keyof C>

const NOTHING_MORE = {
  reply: Schema.Struct({}),
  publishes: {},
  decisions: {},
  notByHand: {},
} as const satisfies Partial<MachineContract>

/** Makes a contract; parts that are left out are empty. */
export function machineContract<const C extends Given>(given: C): Whole<C> {
  return { ...NOTHING_MORE, ...given }
}

const DECIDED = "a decision function reads the facts for it; ask the area's API"

/** Why an event may not be sent by hand; null for one that may be sent, or that the machine does not have. */
export function reasonAgainst({ notByHand, decisions }: MachineContract, type: string): string | null {
  if (typeof notByHand === "string") return notByHand
  if (Object.hasOwn(notByHand, type)) return notByHand[type] ?? null
  return Object.values(decisions).some(({ about }) => about.includes(type)) ? DECIDED : null
}

/** Names of an object's fields, with `?` after an optional one; for a union, the fields of all its members. */
export function fieldNames({ ast }: AnySchema): readonly string[] {
  const parts = SchemaAST.isUnion(ast) ? ast.types : [ast]
  const fields = parts.flatMap((part) => SchemaAST.getPropertySignatures(part))
  return [...new Set(fields.map(({ name, isOptional }) => `${String(name)}${isOptional ? "?" : ""}`))]
}

/** A decision forbids the request. */
export const Refusal = Schema.Struct({
  refusal: Schema.String.pipe(Schema.filter(isRefusalCode)),
})

/** An event without fields. */
export const noFields = Schema.Struct({})

/** The reply of a machine that reports when a command changed nothing. */
export const RepeatReply = Schema.Struct({
  isRepeat: Schema.optionalWith(Schema.Literal(true), { exact: true }),
})

type Simplify<T> = { readonly [K in keyof T]: T[K] }
type ValueOf<T> = T[keyof T]

/** The contracts of several versions or machines form a union; every type below distributes over it. */
export type EventType<C extends MachineContract> = C extends MachineContract
  ? keyof C["events"] & string
  : never

/** Names of the decisions about an event, or about `@start`. */
type DecisionAbout<C extends MachineContract, About extends string> = ValueOf<{
  [D in keyof C["decisions"]]: About extends C["decisions"][D]["about"][number] ? D : never
}>

type ResultAbout<C extends MachineContract, About extends string> = ValueOf<{
  [D in keyof C["decisions"]]: About extends C["decisions"][D]["about"][number]
    ? Schema.Schema.Type<C["decisions"][D]["result"]>
    : never
}>

/** An event as a service sends it. */
export type SentEvent<
  C extends MachineContract,
  Type extends string = EventType<C>,
> = C extends MachineContract
  ? ValueOf<{
      [T in Type & keyof C["events"]]: Simplify<{ readonly type: T } & Schema.Schema.Type<C["events"][T]>>
    }>
  : never

/** An event as the machine receives it: with a stamp and the result of its decision. */
export type MachineEvent<C extends MachineContract> = ValueOf<{
  [T in EventType<C>]: Stamped<
    SentEvent<C, T> &
      ([DecisionAbout<C, T>] extends [never] ? unknown : { readonly decided: ResultAbout<C, T> })
  >
}>

/** A start input as a service sends it. */
export type SentInput<C extends MachineContract> = C extends MachineContract
  ? Schema.Schema.Type<C["input"]>
  : never

/** A start input as the machine receives it. A start that its decision refuses does not reach the machine. */
export type MachineInput<C extends MachineContract> = Stamped<
  SentInput<C> &
    ([DecisionAbout<C, "@start">] extends [never]
      ? unknown
      : { readonly decided: Exclude<ResultAbout<C, "@start">, typeof Refusal.Type> })
>

/** One event for a machine. If a decision is about the event, the decision's name and facts come with it. */
export type TurnOf<C extends MachineContract> = C extends MachineContract
  ? | {
        readonly event: SentEvent<C, Exclude<EventType<C>, DecidedAbout<C>>>
        readonly decision?: never
        readonly facts?: never
      }
    | ValueOf<{
        [D in keyof C["decisions"]]: {
          readonly event: SentEvent<C, C["decisions"][D]["about"][number]>
          readonly decision: D
          readonly facts: FactsOf<C, D>
        }
      }>
  : never

/** The start of a machine, with its decision if there is one. */
export type StartOf<C extends MachineContract> = C extends MachineContract
  ? { readonly input: SentInput<C> } & ("@start" extends DecidedAbout<C>
      ? ValueOf<{
          [D in DecisionAbout<C, "@start">]: { readonly decision: D; readonly facts: FactsOf<C, D> }
        }>
      : { readonly decision?: never; readonly facts?: never })
  : never

type DecidedAbout<C extends MachineContract> = ValueOf<{
  [D in keyof C["decisions"]]: C["decisions"][D]["about"][number]
}>

type FactsOf<C extends MachineContract, D extends keyof C["decisions"]> = Schema.Schema.Type<
  C["decisions"][D]["facts"]
>

/** A decision function: it takes its facts and the event or start input that it is about. */
export type DecisionFunction<C extends MachineContract, D> = C extends MachineContract
  ? D extends keyof C["decisions"]
    ? (
        facts: FactsOf<C, D>,
        asked: "@start" extends C["decisions"][D]["about"][number]
          ? SentInput<C>
          : SentEvent<C, C["decisions"][D]["about"][number]>,
        atMs: EpochMs,
      ) => Schema.Schema.Type<C["decisions"][D]["result"]>
    : never
  : never

/** The answer to a command that was not refused; some machines answer nothing. */
export type ReplyOf<C extends MachineContract> = C extends MachineContract
  ? Schema.Schema.Type<C["reply"]>
  : never

/** The additional fields of one published event. */
export type PublishedExtras<C extends MachineContract, Event extends string> = C extends MachineContract
  ? Event extends keyof C["publishes"]
    ? Schema.Schema.Type<C["publishes"][Event]>
    : never
  : never

/** What a machine may request of the kernel. Its replies and published events have the types of its contract. */
export type VerbOf<C extends MachineContract> =
  | Exclude<Verb, PublishVerb | ReplyVerb>
  | ReplyVerb<ReplyOf<C>>
  | ValueOf<{ [E in keyof C["publishes"] & string]: PublishVerb<E, PublishedExtras<C, E>> }>
