/** Takes what a step does, for comparing planned steps with XState's own. */

import type { AnyActorScope } from "xstate"
import { askedBy } from "../../../src/engine/kernel/planned-step.ts"
import type { Asked, ExecutableAction, Snapshot, StepSink } from "../../../src/engine/kernel/planned-step.ts"

interface Told {
  readonly asked: Asked[]
  readonly microsteps: unknown[]
}

export function sink(): StepSink & { readonly told: Told } {
  const told: Told = { asked: [], microsteps: [] }
  const microstep = (snapshot: Snapshot): void => {
    told.microsteps.push(shown(snapshot), told.asked.length)
  }
  const nothing = (): undefined => undefined
  const scope = {
    self: {
      id: "",
      sessionId: "",
      send: nothing,
    },
    id: "",
    sessionId: "",
    logger: nothing,
    defer: nothing,
    stopChild: nothing,
    emit: nothing,
    actionExecutor: (action: ExecutableAction) => {
      const one = askedBy(action)
      if (one !== null) told.asked.push(one)
    },
    system: {
      _sendInspectionEvent: (notice: { readonly type: string; readonly snapshot: Snapshot }) => {
        if (notice.type === "@xstate.microstep") microstep(notice.snapshot)
      },
    },
  } as unknown as AnyActorScope
  return { told, scope, asked: (one) => void told.asked.push(one), assigned: nothing, microstep }
}

/** All readable properties of a snapshot, in the order in which it would be written. */
export function shown({ value, context, status, tags, _nodes }: Snapshot): string {
  return JSON.stringify({ value, context, status, tags: [...tags], nodes: _nodes.map(({ id }) => id) })
}
