/**
 * Fields of events, as Schemas: the decoded side is the machine's value, and the encoded side is what a person types.
 * The inspector offers only fields that are made here.
 */

import { Option, Schema, SchemaAST } from "effect"
import { CHOSEN_ID } from "./ids.ts"
import { PayloadMeasure } from "./payload-limit.ts"
import { Instant, measure } from "./values/schema.ts"
import type { EventField } from "./sendable-event.ts"

type Input = Pick<EventField, "choices" | "type">

const INPUT = Symbol.for("curbline/input")

const ChosenId = Schema.String.pipe(
  Schema.filter((text) => CHOSEN_ID.test(text) || "must be an id: letters, digits, _ and -, 64 at most"),
)

/** A word or an id. If a person types it, it must be short and plain. */
export const Id = Schema.compose(ChosenId, Schema.String).annotations({
  [INPUT]: { type: "id" } satisfies Input,
})

export const Count = Schema.Number.pipe(
  Schema.filter((value) => (Number.isInteger(value) && value >= 0) || "must be a whole number"),
  Schema.annotations({ [INPUT]: { type: "count" } satisfies Input }),
)

export const Flag = Schema.Boolean.annotations({ [INPUT]: { type: "flag" } satisfies Input })

/** Milliseconds since the epoch, written as an RFC 3339 time. */
export const Moment = Instant.annotations({ [INPUT]: { type: "instant" } satisfies Input })

/** A measured order. A person types only its weight in kilograms. */
export const Measured = Schema.transform(measure(1_000), PayloadMeasure, {
  strict: true,
  decode: (weightKg) => ({ weightKg, dimensionsCm: null }),
  encode: ({ weightKg }) => weightKg ?? Number.NaN,
}).annotations({ [INPUT]: { type: "weight" } satisfies Input })

/** One of several words. */
export function choice<const Word extends string>(words: readonly Word[]): Schema.Schema<Word, string> {
  return Schema.String.pipe(
    Schema.filter((text): text is Word => words.some((word) => word === text), {
      message: () => `must be one of ${words.join(", ")}`,
      [INPUT]: { type: "choice", choices: words } satisfies Input,
    }),
  )
}

/** A field that may be left out. */
export function optional<A, I>(schema: Schema.Schema<A, I>) {
  return Schema.optionalWith(schema, { exact: true })
}

/** The form inputs for an event's fields. Fields without an input are left out. */
export function inputsOf({ ast }: Schema.Schema.AnyNoContext): readonly EventField[] {
  return SchemaAST.getPropertySignatures(ast).flatMap(({ name, type, isOptional }) => {
    const choices = SchemaAST.isUnion(type) ? type.types : [type]
    const isNullable = choices.some((one) => SchemaAST.isLiteral(one) && one.literal === null)
    const input = choices.map((one) => SchemaAST.getAnnotation<Input>(one, INPUT)).find(Option.isSome)
    if (input === undefined) return []
    return [
      {
        name: String(name),
        ...input.value,
        ...(isOptional ? ({ isOptional } as const) : {}),
        ...(isNullable ? ({ isNullable } as const) : {}),
      },
    ]
  })
}
