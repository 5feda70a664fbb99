/** What reports and the studio show of a run against a service: what its events say of actors, and what its receivers got. */

import type { EpochMs } from "../../model/values/time.ts"
import { idOf } from "../../model/address.ts"
import { requestMessage } from "../../simulation/scenario/outgoing-messages.ts"
import type { OutgoingMessage } from "../../simulation/scenario/outgoing-messages.ts"
import { placeIn } from "../../simulation/scenario/language/language.ts"
import type { Change, ShownRun } from "../run-report/shown-run.ts"
import type { RemoteRun, Unchecked } from "./remote-run.ts"

export function shownRemote(run: RemoteRun): ShownRun {
  const nameById = new Map([...run.reservationIds].map(([name, id]) => [id, name]))
  return {
    clock: run.clock,
    published: run.published,
    reservationId: (name) => run.reservationId(name),
    changes: changesOf(run),
    messages: messagesOf(run),
    nameOf: (address) => nameById.get(idOf(address)) ?? idOf(address),
  }
}

/** `not checked against a service: FILE:LINE expect … (why)`, for each. */
export function uncheckedLines(unchecked: readonly Unchecked[], file: string): readonly string[] {
  return unchecked.map(({ what, why, place }) => {
    const { file: in_, line } = placeIn(file, place) ?? place
    return `not checked against a service: ${in_}:${line} ${what} (${why})`
  })
}

/** The states of reservations, their bots and their runner tasks, as the events say them. */
function changesOf(run: RemoteRun): readonly Change[] {
  const last = new Map<string, string>()
  return run.statuses.flatMap(({ atMs, address, states, isEnd }) => {
    if (last.get(address) === states) return []
    last.set(address, states)
    return [{ atMs, address, states: states.toLowerCase().replaceAll("_", " "), isEnd }]
  })
}

function messagesOf(run: RemoteRun): readonly OutgoingMessage[] {
  return run.receiver.received
    .map((request): OutgoingMessage & { readonly atMs: EpochMs } => ({
      ...requestMessage(run, request),
      atMs: request.instantMs,
    }))
    .toSorted((a, b) => a.atMs - b.atMs)
}
