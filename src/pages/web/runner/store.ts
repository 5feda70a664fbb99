/** What stays on the phone: moves that wait, and what was read last. IndexedDB keeps it when the page is killed. */

import { openDB } from "idb"
import type { DBSchema, IDBPDatabase } from "idb"
import type { PhoneRecord, PhoneTask } from "../../../model/requests/runner-app.ts"
import type { RunnerMove } from "../../../model/requests/runner-moves.ts"

/** A move that the service has not answered yet. */
export interface WaitingMove {
  /** Its place in the queue; given by the database. */
  readonly id?: number
  /** The pairing to which it belongs: no other phone sends it. */
  readonly phone_id: string
  /** The same each time that it is sent. */
  readonly key: string
  readonly reservation_id: string
  readonly stall: string
  readonly move: RunnerMove
  readonly body: object | null
  readonly photo: Blob | null
  /** When the button was pressed. */
  readonly at: string
}

/** What was read last, for a start without network. */
export interface Kept {
  readonly me: PhoneRecord
  readonly tasks: readonly PhoneTask[]
  readonly at: string
}

interface Schema extends DBSchema {
  moves: { key: number; value: WaitingMove }
  kept: { key: string; value: Kept }
}

let opened: Promise<IDBPDatabase<Schema>> | null = null

/** One connection. It is opened anew after the browser has ended it, as iOS does in the background, and after it could not be opened. */
function database(): Promise<IDBPDatabase<Schema>> {
  const forgetIt = (): void => {
    opened = null
  }
  opened ??= openDB<Schema>("curbline-runner", 1, {
    upgrade: (db) => {
      db.createObjectStore("moves", { keyPath: "id", autoIncrement: true })
      db.createObjectStore("kept")
    },
    terminated: forgetIt,
  }).catch((cause: unknown) => {
    forgetIt()
    throw cause
  })
  return opened
}

/** Asks the browser not to clear this storage when the phone runs out of space. */
export async function keepForGood(): Promise<void> {
  if ("storage" in navigator) await navigator.storage.persist().catch(() => false)
}

export async function addMove(move: WaitingMove): Promise<void> {
  await (await database()).add("moves", move)
}

/** In the order in which they were made. */
export async function waitingMoves(): Promise<readonly WaitingMove[]> {
  return (await database()).getAll("moves")
}

export async function removeMove({ id }: WaitingMove): Promise<void> {
  if (id !== undefined) await (await database()).delete("moves", id)
}

export async function keep(kept: Kept): Promise<void> {
  await (await database()).put("kept", kept, "last")
}

export async function keptLast(): Promise<Kept | null> {
  return (await (await database()).get("kept", "last")) ?? null
}

export async function forget(): Promise<void> {
  await (await database()).delete("kept", "last")
}
