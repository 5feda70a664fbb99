/** What is kept of a release to hold the rule of rolling upgrades, and how it is recorded. */

import { join } from "node:path"

export interface Release {
  readonly version: string
  readonly migrations: readonly string[]
  /** Sorted, each once. */
  readonly statements: readonly string[]
}

export const MIGRATIONS = join(import.meta.dirname, "../../../src/engine/store/migrations")
export const RELEASED = join(import.meta.dirname, "released")

/** True for a migration that requires all nodes to be stopped. */
export function isNotRolling(text: string): boolean {
  return text.startsWith("-- not rolling:")
}

/** Statements of a migration that old code might not live with. */
export function doesMoreThanAdd(text: string): readonly string[] {
  const statements = text
    .replaceAll(/--.*$/gm, "")
    .split(/;\s*$/m)
    .map((statement) => statement.trim().replaceAll(/\s+/g, " ").toLowerCase())
    .filter((statement) => statement !== "")
  // A table that the same migration makes is known to no old code.
  const made = new Set(
    statements.flatMap((one) => /^create table (?:if not exists )?(\w+)/.exec(one)?.[1] ?? []),
  )
  return statements.filter((statement) => !isAddition(statement, made))
}

function isAddition(statement: string, made: ReadonlySet<string>): boolean {
  const table = /^(?:create (?:unique )?index .*? on|alter table(?: if exists)?) (\w+)/.exec(statement)?.[1]
  if (table !== undefined && made.has(table)) return true
  if (/^(create table|insert into|update) /.test(statement)) return true
  // Old code does not call them, and its writes do what the trigger adds.
  if (/^create or replace (function|trigger) /.test(statement)) return true
  if (statement.startsWith("create index ")) return true
  if (!statement.startsWith("alter table ")) return false
  const changes = statement.replace(/^alter table \w+ /, "").split(/, (?=(?:add|drop|alter|rename) )/)
  return changes.every(
    (change) =>
      change.startsWith("add column ") && (!change.includes("not null") || change.includes("default")),
  )
}

/** Statements in a log of the server with `log_statement`, as one program made them: those that it prepared. */
export function statementsIn(log: string): readonly string[] {
  const entries = log.split(/^(?=\d{4}-\d\d-\d\d .*? \[\d+\] [A-Z]+: )/m)
  const found = entries.flatMap((entry) => {
    const [, text] = /\] LOG: {2}execute [^:]+: ([^]*)$/.exec(entry) ?? []
    return text === undefined ? [] : [text.trim().replaceAll(/\n\t/g, "\n")]
  })
  return [
    ...new Set(found.filter((text) => /^\s*(select|insert|update|delete|with)\b/i.test(text))),
  ].toSorted()
}
