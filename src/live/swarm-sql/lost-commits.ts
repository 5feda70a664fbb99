/** A database whose commits are lost now and then: the connection ends before one, or after it and before its answer. */

import { Cause } from "effect"
import { EngineFault } from "../../engine/kernel/faults.ts"
import { DatabaseFault } from "../../engine/store/database.ts"
import type { Database, Orm } from "../../engine/store/database.ts"

/** `answer`: the database has committed, and its client does not learn it. */
export type LostPart = "answer" | "commit"

/** What the client of a connection that ended reports. Source: PostgreSQL error codes, connection failure. */
class CommitLost extends Error {
  readonly code = "08006"

  constructor(part: LostPart) {
    super(
      `the connection ended ${part === "commit" ? "before the commit" : "before the answer to the commit"}`,
    )
  }
}

/** `next` says of each transaction that is about to commit what of it is lost; null: nothing. */
export function losingCommits(database: Database["Type"], next: () => LostPart | null): Database["Type"] {
  const { orm } = database
  const transaction: Orm["transaction"] = async (body, config) => {
    if (config?.accessMode === "read only") return orm.transaction(body, config)
    const lost: { part: LostPart | null } = { part: null }
    const answer = await orm.transaction(async (open) => {
      const made = await body(open)
      lost.part = next()
      if (lost.part === "commit") throw new CommitLost("commit")
      return made
    }, config)
    if (lost.part === "answer") throw new CommitLost("answer")
    return answer
  }
  const losing = new Proxy(orm, {
    get: (target, name) => (name === "transaction" ? transaction : (Reflect.get(target, name) as unknown)),
  })
  return { ...database, orm: losing, byKey: database.byKey === orm ? losing : database.byKey }
}

const FULL_MAILBOX_REASON = "a mailbox is full"

/** What a command, a call or the host itself ends with when its commit was lost or met a full mailbox. */
function isOfFault(defect: unknown): boolean {
  if (defect instanceof CommitLost) return true
  if (defect instanceof DatabaseFault) return isOfFault(defect.cause)
  return defect instanceof EngineFault && isExpected(defect)
}

/** A fault that these two leave at the host. Any other is a finding. */
export function isExpected(fault: EngineFault): boolean {
  return isFullMailbox(fault) || isOfFault(fault.cause)
}

/** Whether nothing else ended the work: who asked for it asks again. */
export function isLost(failed: Cause.Cause<unknown>): boolean {
  const defects = [...Cause.defects(failed)]
  return defects.length > 0 && defects.every(isOfFault)
}

export function isFullMailbox(defect: unknown): boolean {
  return defect instanceof EngineFault && defect.reason === FULL_MAILBOX_REASON
}
