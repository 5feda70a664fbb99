/** Examples of invariants as words: of those that a scenario names under `always`, and of those that only the swarm checks. */

import type { Example } from "../words/word-examples.ts"

/** An invariant that only the swarm checks. */
export interface SwarmSentence {
  readonly sentence: string
  readonly about: SwarmSubject
  /** The runs in which it is checked, `only with …` or `not with …`; null for all. */
  readonly where: string | null
}

export type SwarmSubject =
  | "answers of calls"
  | "callers with a wrong key"
  | "deliveries"
  | "errands"
  | "limits of calls"
  | "mailboxes, restores and versions of machines"
  | "reservations"
  | "rows in the database"
  | "runners and operators"
  | "sites"
  | "the end of a run"
  | "the engine"
  | "the journal"
  | "webhooks"

/** What an invariant of all scenarios is about. */
export type InvariantSubject = "deliveries" | "errands" | "reservations"

const RESERVATION = ["at: 11:30, do: reservation.create, as: lunch, with: { window: [11:45, 12:15] }"]
const DELIVERY = ["do: delivery.quote, as: groceries, with: { ready_by: +30m }"]
const ERRAND = ["do: errand.check, as: dinner"]
const EACH = [...RESERVATION, ...DELIVERY, ...ERRAND]

const VAN = "vehicles: [{ as: van }]"

const ALWAYS: Readonly<Record<InvariantSubject, Example>> = {
  deliveries: { given: [VAN], steps: [...DELIVERY, "do: delivery.create, for: groceries"] },
  errands: { given: [VAN], steps: [...ERRAND, "do: errand.reserve, for: dinner"] },
  reservations: { steps: RESERVATION },
}

export function alwaysExample(sentence: string, subject: InvariantSubject): Example {
  return { ...ALWAYS[subject], after: ["always:", `  - ${sentence}`] }
}

const LOST_ANSWERS = ["machine_faults: { last: 1h, lost_answers: 100 }"]
const OF_EACH: Example = { head: LOST_ANSWERS, given: [VAN], steps: EACH }

const SWARM: Readonly<Record<SwarmSubject, Example>> = {
  "answers of calls": OF_EACH,
  "callers with a wrong key": {
    head: LOST_ANSWERS,
    given: ["partners: [{ as: rival }]", "keys: [{ as: old_key, state: revoked }]"],
    steps: [
      ...RESERVATION,
      "do: reservation.read, for: lunch, by: rival",
      "do: reservation.read, for: lunch, by: old_key",
    ],
  },
  deliveries: { ...ALWAYS.deliveries, head: LOST_ANSWERS },
  errands: { ...ALWAYS.errands, head: LOST_ANSWERS },
  "limits of calls": {
    head: LOST_ANSWERS,
    given: ["policy: { requests_per_minute: 2 }"],
    steps: [...RESERVATION, ...Array.from({ length: 2 }, () => "do: reservation.read, for: lunch")],
  },
  "mailboxes, restores and versions of machines": {
    head: [
      "machine_faults: { last: 1h, mailbox_entries: 4, restore_at: 20m, backup_age: 5m, upgrade_at: 10m }",
    ],
    given: ["webhooks: [{ as: partner, events: all }]"],
    steps: RESERVATION,
  },
  reservations: { ...ALWAYS.reservations, head: LOST_ANSWERS },
  "rows in the database": OF_EACH,
  "runners and operators": {
    head: LOST_ANSWERS,
    given: ["runners: [{ as: ana, from: 11:30, to: 14:00 }]"],
    steps: [...RESERVATION, "do: runner.assign, for: lunch, by: ana"],
  },
  sites: {
    head: LOST_ANSWERS,
    given: [
      "sites: [{ as: south, stalls: 1, delivers: true }]",
      "runners: [{ as: ana, from: 11:30, to: 14:00, site: south }]",
    ],
    steps: ["at: 11:30, do: reservation.create, as: lunch, with: { window: [11:45, 12:15], site: south }"],
  },
  "the end of a run": OF_EACH,
  "the engine": OF_EACH,
  "the journal": OF_EACH,
  webhooks: {
    head: LOST_ANSWERS,
    given: ["webhooks: [{ as: partner, events: all }]"],
    steps: [...RESERVATION, "inject: webhook.answers, for: partner, with: { answers: [500, 200] }"],
  },
}

/** No file names these: with faults of the machines all are checked, so a comment says which one is meant. */
export function swarmExample({ sentence, about }: SwarmSentence): Example {
  return {
    ...SWARM[about],
    after: ["# Every invariant of the swarm is checked, also this one:", `#   ${sentence}`],
  }
}

export function swarmMeaning({ about, where }: SwarmSentence): string {
  const runs = "is checked by `curbline swarm`, and in scenarios with machine_faults"
  return `about ${about}; ${runs}${where === null ? "" : `, ${where}`}`
}

export function alwaysMeaning(subject: InvariantSubject): string {
  return `about ${subject}; is checked at every moment of each run, with \`always\` only where it is named there`
}
