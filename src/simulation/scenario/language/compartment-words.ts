/**
 * Words of the scenario language about a compartment at a customer's door.
 * `src/simulation/scenario/language/language.ts` includes them and checks their types.
 */

import { COMPARTMENT_STATES } from "../../../model/compartment.ts"
import { at, within } from "./expectation-fields.ts"

export const COMPARTMENT_COMMANDS = {
  "fleet.change": {
    says: "operations change the fleet of the vehicles: {with}",
    for: null,
    as: null,
    with: {
      site: {
        is: "name",
        of: "site",
        words: ["here"],
        says: "the site whose fleet it is, where given: sites has further ones that deliver",
        short: "it is the one of {value}",
        usual: "here",
      },
      open_url: {
        is: "text",
        says: "the URL that opens a compartment",
        short: "it opens compartments at {value}",
        nullable: true,
      },
      instruction: {
        is: "text",
        says: "how a customer opens a vehicle",
        short: 'it tells customers "{value}"',
        nullable: true,
      },
    },
  },
  "compartment.open": {
    says: "the customer of {for} opens the compartment, with {with}",
    for: "delivery",
    as: null,
    with: {
      digits: {
        is: "text",
        says: "what the customer enters as the last four digits",
        usual: "the right ones",
        short: "the digits {value}",
      },
    },
  },
  "compartment.grant": {
    says: "operations open the compartment of {for}",
    for: "delivery",
    as: null,
    with: {},
  },
} as const

export const COMPARTMENT_FAULTS = {
  "fleet.answers": {
    says: "the fleet that is asked to open answers {answers}",
    for: null,
    with: { answers: { is: "answers", says: "one answer a call, the last for ever", required: true } },
  },
} as const

export const COMPARTMENT_EXPECTATIONS = {
  compartment: {
    says: "the compartment of {compartment} has {fields}",
    fields: {
      compartment: { is: "name", of: "delivery", says: "the delivery", required: true },
      state: { is: "enum", of: COMPARTMENT_STATES, says: "its state" },
      tries_left: {
        is: "integer",
        min: 0,
        max: 100,
        says: "wrong tries that it still takes",
        short: "{value} tries left",
      },
      calls: { is: "integer", min: 0, max: 1_000, says: "calls to its fleet", short: "{value} calls" },
      attempt_ids: {
        is: "integer",
        min: 0,
        max: 1_000,
        says: "attempt ids of these calls",
        short: "{value} attempt ids",
      },
      at,
      within,
    },
  },
} as const
