/**
 * A note about a command that an edge adds to the command's own transaction: written if the command is committed, and not
 * otherwise. The edge sets it for its fiber, so no command needs to know of it.
 */

import { Effect, FiberRef, GlobalValue } from "effect"
import type { Command, Transaction } from "./host.ts"
import { Routine } from "./routine.ts"

export interface CommandNote {
  /** The name of the command that is noted, where a request runs several; null: the first that is committed. */
  readonly command: string | null
  /** `result`: what the command's body returned. */
  readonly write: (result: unknown) => Routine<void, never, Transaction>
}

/** Written at most once. */
interface OpenNote {
  readonly note: CommandNote
  isWritten: boolean
}

const CurrentNote: FiberRef.FiberRef<OpenNote | null> = GlobalValue.globalValue("curbline/CurrentNote", () =>
  FiberRef.unsafeMake<OpenNote | null>(null),
)

/** Runs a request whose command is noted. */
export function withNote<A, E, R>(effect: Effect.Effect<A, E, R>, note: CommandNote): Effect.Effect<A, E, R> {
  return Effect.suspend(() => Effect.locally(effect, CurrentNote, { note, isWritten: false }))
}

/** Runs a command. */
type Running = <A, E, R, Read = void, RRead = never>(
  command: Command<A, E, R, Read, RRead>,
) => Routine<A, E, Exclude<R, Transaction> | RRead>

/** For hosts: how commands are run, with their notes. */
export function noting(run: Running): Running {
  return <A, E, R, Read, RRead>(command: Command<A, E, R, Read, RRead>) =>
    Routine.flatMap(Routine.ref(CurrentNote), (open) => {
      if (open === null || open.isWritten || !isMeant(open.note, command.name)) return run(command)
      const body = (read: Read): Routine<A, E, R> =>
        // Every body runs inside a transaction, so the note adds no requirement.
        Routine.tap(command.body(read), (result) => open.note.write(result) as Routine<void>)
      return Routine.map(run({ ...command, body }), (result) => {
        open.isWritten = true
        return result
      })
    })
}

function isMeant({ command }: CommandNote, name: string): boolean {
  return command === null || command === name
}
