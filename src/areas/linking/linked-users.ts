/** Linked users: the people behind the tokens, for the rest of the service. */

import { Context, Effect, Layer } from "effect"
import { LinkedUserRows } from "./rows.ts"
import { Routine } from "../../engine/services/routine.ts"

export class LinkedUsers extends Context.Tag("LinkedUsers")<
  LinkedUsers,
  {
    /** The verified number in E.164; null when there is no such user, or when the number was blanked. */
    readonly phoneOf: (userId: string) => Routine<string | null>
    /** False once an operator has disabled the number, and for an unknown user. */
    readonly isEnabled: (userId: string) => Routine<boolean>
  }
>() {}

export const layerLinkedUsers: Layer.Layer<LinkedUsers, never, LinkedUserRows> = Layer.effect(
  LinkedUsers,
  Effect.map(LinkedUserRows, (rows) => ({
    phoneOf: (userId) => Routine.map(rows.user(userId), (user) => user?.phone ?? null),
    isEnabled: (userId) => Routine.map(rows.user(userId), (user) => user?.isEnabled === true),
  })),
)
