/** Takes what a step does, for comparing planned steps with XState's own. */

import type { AnyActorScope } from "xstate"
import type { Snapshot, StepSink } from "../../src/kernel/step.ts"

interface Told {
  readonly actions: unknown[]
  readonly microsteps: unknown[]
}

export function sink(): StepSink & { readonly told: Told } {
  const told: Told = { actions: [], microsteps: [] }
  const act = ({ type, params }: { readonly type: string; readonly params: unknown }): void => {
    told.actions.push([type, params])
  }
  const microstep = (snapshot: Snapshot): void => {
    told.microsteps.push(shown(snapshot), told.actions.length)
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
    actionExecutor: act,
    system: {
      _sendInspectionEvent: (notice: { readonly type: string; readonly snapshot: Snapshot }) => {
        if (notice.type === "@xstate.microstep") microstep(notice.snapshot)
      },
    },
  } as unknown as AnyActorScope
  return { told, scope, act, assigned: nothing, microstep }
}

/** All readable properties of a snapshot, in the order in which it would be written. */
export function shown({ value, context, status, tags, _nodes }: Snapshot): string {
  return JSON.stringify({ value, context, status, tags: [...tags], nodes: _nodes.map(({ id }) => id) })
}
