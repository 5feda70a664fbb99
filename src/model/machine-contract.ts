/**
 * The contract of a machine: its start input, its events, its replies, what it publishes, and the facts and results of its
 * decisions. Each stands there once, as a Schema; the types of the machine and of its callers follow from it. Turns decode
 * nothing: only what a person or a file writes is decoded.
 */

import { Schema, SchemaAST } from "effect"
import { isRefusalCode } from "./errors.ts"
import type { EpochMs, Stamped } from "./time.ts"
import type { PublishVerb, ReplyVerb, Verb } from "./verbs.ts"

/** A Schema whose decoding needs nothing. */
type AnySchema = Schema.Schema.AnyNoContext
type Schemas = Readonly<Record<string, AnySchema>>

export interface DecisionContract {
  /** Types of the events that it decides about; `@start` is the start input. */
  readonly about: readonly string[]
  /** What it reads outside the group. */
  readonly facts: AnySchema
  /** A result that holds `refusal` and is about a start refuses it. */
  readonly result: AnySchema
}

export interface MachineContract {
  readonly input: AnySchema
  /** The fields of each event, by its type. */
  readonly events: Schemas
  /** The fields of its answers to commands. */
  readonly reply: AnySchema
  /** The extras of each event that it publishes. */
  readonly publishes: Schemas
  /** By name and version. */
  readonly decisions: Readonly<Record<string, DecisionContract>>
  /** Why an operator may not send some of the events, or any, by hand. */
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

/** A contract; what is left out is empty. */
export function machineContract<const C extends Given>(given: C): Whole<C> {
  return { ...NOTHING_MORE, ...given }
}

const DECIDED = "a decision function reads the facts for it; ask the area's API"

/** Why an event is not sent by hand; null for one that may be sent, or that the machine does not have. */
export function reasonAgainst({ notByHand, decisions }: MachineContract, type: string): string | null {
  if (typeof notByHand === "string") return notByHand
  if (Object.hasOwn(notByHand, type)) return notByHand[type] ?? null
  return Object.values(decisions).some(({ about }) => about.includes(type)) ? DECIDED : null
}

/** Names of the fields of an object, `?` behind one that may be left out; of a union, those of all its parts. */
export function fieldNames({ ast }: AnySchema): readonly string[] {
  const parts = SchemaAST.isUnion(ast) ? ast.types : [ast]
  const fields = parts.flatMap((part) => SchemaAST.getPropertySignatures(part))
  return [...new Set(fields.map(({ name, isOptional }) => `${String(name)}${isOptional ? "?" : ""}`))]
}

/** A decision forbids what was asked for. */
export const Refusal = Schema.Struct({
  refusal: Schema.String.pipe(Schema.filter(isRefusalCode)),
})

/** An event without fields. */
export const noFields = Schema.Struct({})

/** The reply of a machine that says when a command changed nothing. */
export const RepeatReply = Schema.Struct({
  isRepeat: Schema.optionalWith(Schema.Literal(true), { exact: true }),
})

type Simplify<T> = { readonly [K in keyof T]: T[K] }
type ValueOf<T> = T[keyof T]

/** Contracts of several versions or machines are a union: every type below distributes over it. */
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

/** An event as it is sent. */
export type SentEvent<
  C extends MachineContract,
  Type extends string = EventType<C>,
> = C extends MachineContract
  ? ValueOf<{
      [T in Type & keyof C["events"]]: Simplify<{ readonly type: T } & Schema.Schema.Type<C["events"][T]>>
    }>
  : never

/** An event as the machine gets it: stamped, and with what a decision said about it. */
export type MachineEvent<C extends MachineContract> = ValueOf<{
  [T in EventType<C>]: Stamped<
    SentEvent<C, T> &
      ([DecisionAbout<C, T>] extends [never] ? unknown : { readonly decided: ResultAbout<C, T> })
  >
}>

/** A start input as it is sent. */
export type SentInput<C extends MachineContract> = C extends MachineContract
  ? Schema.Schema.Type<C["input"]>
  : never

/** A start input as the machine gets it. A start that its decision refuses does not reach the machine. */
export type MachineInput<C extends MachineContract> = Stamped<
  SentInput<C> &
    ([DecisionAbout<C, "@start">] extends [never]
      ? unknown
      : { readonly decided: Exclude<ResultAbout<C, "@start">, typeof Refusal.Type> })
>

/** One event for a machine. An event about which a decision says something comes with its name and its facts. */
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

/** The start of a machine, with the decision about it if there is one. */
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

/** A decision function over its facts and over what it decides about: an event or a start input. */
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

/** The answer to a command that was not refused; a machine may answer with nothing. */
export type ReplyOf<C extends MachineContract> = C extends MachineContract
  ? Schema.Schema.Type<C["reply"]>
  : never

/** The extras of one published event. */
export type PublishedExtras<C extends MachineContract, Event extends string> = C extends MachineContract
  ? Event extends keyof C["publishes"]
    ? Schema.Schema.Type<C["publishes"][Event]>
    : never
  : never

/** What a machine may ask of the kernel: its replies and the events that it publishes are those of its contract. */
export type VerbOf<C extends MachineContract> =
  | Exclude<Verb, PublishVerb | ReplyVerb>
  | ReplyVerb<ReplyOf<C>>
  | ValueOf<{ [E in keyof C["publishes"] & string]: PublishVerb<E, PublishedExtras<C, E>> }>
