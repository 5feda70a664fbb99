/**
 * The fleet language as a JSON Schema, for editors: completion, descriptions and first checks while typing. It is made
 * from the reader's own shapes. It cannot check names of sites, files beside the model, or how parts fit together;
 * `curbline check` does.
 */

import type { JsonObject } from "../../../model/values/json.ts"
import { fleetShape } from "./model.ts"
import { SPREAD_DEFINITIONS } from "./spread.ts"

/** The text of `scenarios/fleets/fleet.schema.json`. */
export function fleetSchemaText(): string {
  return `${JSON.stringify(fleetJsonSchema(), null, 2)}\n`
}

/** JSON Schema 2020-12 of one fleet model. */
export function fleetJsonSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $comment: "Generated from src/simulation/fleet/language by `npm run generate`; do not edit.",
    title: "Curbline fleet model",
    ...fleetShape.schema,
    $defs: SPREAD_DEFINITIONS,
  }
}
