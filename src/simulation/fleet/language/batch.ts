/** The words `batch` and `items`: how many orders come at once, and how many things are in one. */

import { BATCH_MAX, DRAWN_VALUES_MAX } from "../../../model/values/limits.ts"
import {
  either,
  listOf,
  mapped,
  number,
  optional,
  record,
  required,
  saying,
  whole,
} from "../../scenario/language/shapes.ts"
import type { Shape } from "../../scenario/language/shapes.ts"

/** A count, or a distribution of counts from 1 on. */
export type Batch =
  | { readonly is: "count"; readonly count: number }
  | { readonly is: "drawn"; readonly counts: readonly number[] }
  | { readonly is: "geometric"; readonly mean: number }

export const ONE: Batch = { is: "count", count: 1 }

const count = whole("a count", { min: 1, max: BATCH_MAX })

const WAYS = {
  geometric: optional(
    "each is followed by another with the same chance",
    record("keys of geometric", {
      mean: required("the mean", number("a mean count", { min: 1, max: BATCH_MAX })),
    }),
    null,
  ),
  drawn_from: optional(
    "counts that are drawn",
    listOf("counts", count, { min: 1, max: DRAWN_VALUES_MAX }),
    null,
  ),
}

export const countsShape: Shape<Batch> = either(
  mapped(count, (read): Batch => ({ is: "count", count: read })),
  mapped(
    saying(record("keys of a count", WAYS), { minProperties: 1, maxProperties: 1 }),
    ({ geometric, drawn_from: counts }, refuse): Batch | undefined => {
      if ((geometric === null) === (counts === null))
        return refuse("not one distribution of counts", "one of geometric, drawn_from")
      return geometric === null ? { is: "drawn", counts: counts ?? [] } : { is: "geometric", ...geometric }
    },
  ),
)

/** How many on average. */
export function meanBatch(batch: Batch): number {
  switch (batch.is) {
    case "count":
      return batch.count
    case "drawn":
      return batch.counts.reduce((sum, one) => sum + one, 0) / batch.counts.length
    case "geometric":
      return batch.mean
  }
}

/** The smallest count. */
export function leastBatch(batch: Batch): number {
  return batch.is === "drawn" ? Math.min(...batch.counts) : batch.is === "count" ? batch.count : 1
}

/** The largest count; of those without a largest one the mean. */
export function largeBatch(batch: Batch): number {
  return batch.is === "drawn" ? Math.max(...batch.counts) : meanBatch(batch)
}
