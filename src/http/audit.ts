/** Notes a request's command in the audit log of its organization, if the host keeps one. */

import { Effect, Option } from "effect"
import { AuditLog } from "./access/audit-log.ts"
import type { AuditedCommand } from "./access/audit-log.ts"
import { withNote } from "../engine/services/command-notes.ts"

/** `command`: null for a request that is not noted. */
export function audited<A, E, R>(
  effect: Effect.Effect<A, E, R>,
  command: AuditedCommand | null,
): Effect.Effect<A, E, R> {
  if (command === null) return effect
  return Effect.flatMap(Effect.serviceOption(AuditLog), (found) =>
    Option.isNone(found) ? effect : withNote(effect, found.value.note(command)),
  )
}
