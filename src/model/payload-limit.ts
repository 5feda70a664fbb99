/** Payload limit: the capacity of the bot's compartment, and the measures of an order. */

import { Schema } from "effect"

const Dimensions = Schema.Struct({ length: Schema.Number, width: Schema.Number, height: Schema.Number })

export type Dimensions = typeof Dimensions.Type

/** Kilograms and centimetres. At least one of the two parts is present. */
export const PayloadLimit = Schema.Struct({
  maxWeightKg: Schema.NullOr(Schema.Number),
  maxDimensionsCm: Schema.NullOr(Dimensions),
})

export type PayloadLimit = typeof PayloadLimit.Type

/** An order as measured at the counter. */
export const PayloadMeasure = Schema.Struct({
  weightKg: Schema.NullOr(Schema.Number),
  dimensionsCm: Schema.NullOr(Dimensions),
})

export type PayloadMeasure = typeof PayloadMeasure.Type
