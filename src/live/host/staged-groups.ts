/** The unit of work of one SQL transaction: the loaded groups, their turns, and the changes to write at the end. */

import { groupOf } from "../../model/address.ts"
import type { Address, GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { Requester } from "../../model/requester.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { sameCause, timerKey } from "../../engine/kernel/group.ts"
import type { Cause, Group, Timer } from "../../engine/kernel/group.ts"
import type { Program } from "../../engine/kernel/program.ts"
import { statePath } from "../../engine/kernel/step.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { UnitOfWork } from "../../engine/kernel/unit-of-work.ts"
import type { UnitHost } from "../../engine/kernel/unit-of-work.ts"
import type { Answer, StartOf, TurnRequest } from "../../engine/services/host.ts"
import { instantOf } from "../../engine/services/organization-clock.ts"
import type { ClockState } from "../../engine/services/organization-clock.ts"
import type {
  ArmedTimer,
  GroupChanges,
  LoadedGroup,
  MoveTurn,
  NewMessage,
} from "../../engine/store/group-changes.ts"

export interface StagedGroupsOptions {
  readonly program: Program
  /** The node that makes the calls. */
  readonly node: string
  readonly nonce: () => string
  /** For tests: as in `LiveHostOptions`. */
  readonly startOf?: StartOf | undefined
  /** The clock of the body when every lock was held. */
  readonly nowMs: EpochMs
  /** The real time then. */
  readonly realMs: EpochMs
  /** The clocks of organizations that differ from real time, as far as the transaction knows them. */
  readonly clocks: ReadonlyMap<string, ClockState>
  /** Who asked for the commands; null: no request. */
  readonly requester: Requester | null
  /** Groups of the locks, whether they have rows or not. */
  readonly locked: readonly GroupAddress[]
  /** Those of them that have rows. */
  readonly loaded: readonly LoadedGroup[]
}

export class StagedGroups extends UnitOfWork {
  readonly #program: Program
  readonly #node: string
  readonly #nonce: () => string
  readonly #startOf: StartOf | undefined
  readonly #loaded: ReadonlyMap<GroupAddress, LoadedGroup>
  readonly #environments = new Map<GroupAddress, Environment>()
  readonly #clocks: ReadonlyMap<string, ClockState>
  readonly #clockByStarted = new Map<GroupAddress, string>()
  readonly #realMs: EpochMs

  constructor({ program, node, nonce, startOf, loaded, realMs, clocks, ...scope }: StagedGroupsOptions) {
    const byAddress = new Map(loaded.map((one) => [one.address, one]))
    const host: UnitHost = {
      program,
      nonce,
      nowOf: (address) => this.nowOf(address),
      isDue: (timer) => {
        const group = byAddress.get(groupOf(timer.to))
        const endMs = this.clockOf(groupOf(timer.to)) === null ? undefined : leaseEndOf(group, timer)
        return endMs === undefined ? null : endMs <= realMs
      },
      journal: "written",
      knownMailboxes: "locked",
      committed: {
        group: (address) => byAddress.get(address)?.group ?? null,
        messages: (address) => byAddress.get(address)?.messages ?? [],
        sequenceOf: ({ to, id }) => byAddress.get(groupOf(to))?.sequenceByTimer.get(timerKey(to, id)) ?? 0,
      },
    }
    super(host, scope)
    this.#program = program
    this.#node = node
    this.#nonce = nonce
    this.#startOf = startOf
    this.#loaded = byAddress
    this.#clocks = clocks
    this.#realMs = realMs
  }

  /** Runs a command's turn, and notes the environment of a group that it starts, and on whose clock it lives. */
  commandOf({ environment, organizationId, ...request }: TurnRequest): Answer {
    const address = groupOf(request.to)
    if (environment !== undefined) this.#environments.set(address, environment)
    if (environment === "sandbox" && organizationId !== undefined)
      this.#clockByStarted.set(address, organizationId)
    const { start } = request
    return this.command(
      start === undefined || this.#startOf === undefined
        ? request
        : { ...request, start: this.#startOf(start) },
    )
  }

  /** The clock on which the group lives; null: real time. */
  clockOf(address: GroupAddress): ClockState | null {
    return this.#clocks.get(this.#ownerOf(address) ?? "") ?? null
  }

  /** The time of the group. */
  nowOf(address: GroupAddress): EpochMs {
    const clock = this.clockOf(address)
    return clock === null ? this.#realMs : instantOf(clock, this.#realMs)
  }

  #ownerOf(address: GroupAddress): string | null {
    return this.#loaded.get(address)?.clock ?? this.#clockByStarted.get(address) ?? null
  }

  /** True when the actor's machine, in the version that it was started with, knows the event. */
  accepts(actor: Address, type: string): boolean {
    const group = this.group(groupOf(actor))
    const machine = this.#program.machines[group?.actors.get(actor)?.machine ?? ""]
    return machine?.events.includes(type) === true
  }

  /** Releases the deferred call of a group, if it is still waiting. */
  release(address: GroupAddress): void {
    const snapshot = this.group(address)?.actors.get(address)?.snapshot
    if (snapshot?.value !== "queued") return
    const { attempt = 0 } = snapshot.context as { readonly attempt?: number }
    this.command({ to: address, event: { type: "queue.released", attempt }, nonce: this.#nonce() })
  }

  /** Sends `call.lost` to the group's actors for each of their calls that one of these stopped nodes made. */
  lost(address: GroupAddress, gone: readonly string[]): void {
    const loaded = this.#loaded.get(address)
    for (const [key, node] of loaded?.holderByTimer ?? []) {
      const timer = this.group(address)?.timers.get(key)
      const before = loaded?.group?.timers.get(key)
      const isHeld = timer !== undefined && before !== undefined && isSameTimer(timer, before)
      if (!isHeld || !gone.includes(node)) continue
      const { to, cause } = timer
      const context = this.group(address)?.actors.get(to)?.snapshot.context as { readonly attempt?: number }
      const event = { type: "call.lost", attempt: context.attempt ?? 0 }
      this.result({ to, event, facts: { node }, cause })
    }
  }

  /** The changes to write. */
  changes(): GroupChanges {
    const changed: Group[] = []
    const started: Group[] = []
    const disarmed: { group: GroupAddress; key: string }[] = []
    const armed: (ArmedTimer & { readonly sequence: number })[] = []
    const leased = this.#leases()
    for (const [address, current] of this.changed) {
      const loaded = this.#loaded.get(address)
      const before = loaded?.group ?? null
      if (loaded === undefined) started.push(current)
      else changed.push(current)
      for (const [key, timer] of before?.timers ?? [])
        if (!isSameTimer(current.timers.get(key), timer)) disarmed.push({ group: address, key })
      for (const [key, timer] of current.timers) {
        if (isSameTimer(before?.timers.get(key), timer)) continue
        const isLease = leased.has(leaseKey(timer.to, timer.cause))
        const isOnClock = this.#ownerOf(address) !== null
        armed.push({
          timer,
          instantMs: current.instantMs,
          heldBy: isLease ? this.#node : null,
          leaseUntilMs: isLease && isOnClock ? this.#realMs + timer.dueMs - current.instantMs : null,
          sequence: this.sequenceOf(timer),
        })
      }
    }
    return {
      changed: changed.toSorted((a, b) => (a.address < b.address ? -1 : 1)),
      started: started.toSorted((a, b) => (a.address < b.address ? -1 : 1)),
      environments: this.#environments,
      clocks: this.#owners(),
      isOfSandbox: [...this.changed.keys()].some((address) => this.#environmentOf(address) === "sandbox"),
      realMs: this.#realMs,
      moveTurns: this.#moveTurns(),
      disarmed,
      armed: armed.toSorted((a, b) => a.sequence - b.sequence),
      takenMessages: [...this.takenMessages],
      messages: this.#messages(),
      entries: this.taken.flatMap(({ result: { entry, instantMs } }) =>
        entry === null ? [] : [{ entry, instantMs }],
      ),
    }
  }

  #environmentOf(address: GroupAddress): Environment | null {
    return this.#loaded.get(address)?.environment ?? this.#environments.get(address) ?? null
  }

  #owners(): ReadonlyMap<GroupAddress, string> {
    const owners = new Map<GroupAddress, string>()
    for (const address of this.changed.keys()) {
      const owner = this.#ownerOf(address)
      if (owner !== null) owners.set(address, owner)
    }
    return owners
  }

  /** The turns of groups whose organization's clock is being moved. */
  #moveTurns(): readonly MoveTurn[] {
    return this.taken.flatMap(({ input, result }) => {
      const group = groupOf(input.to)
      const moveId = this.clockOf(group)?.moveId ?? null
      if (moveId === null || result.entry === null) return []
      const event = input.timer ?? input.event?.type ?? "start"
      return [
        {
          moveId,
          instantMs: input.atMs,
          group,
          input: input.by,
          event,
          outcome: outcomeOf(result, input.to),
        },
      ]
    })
  }

  /** Leases of the calls whose actors must learn when their node stopped, by actor and cause. */
  #leases(): ReadonlySet<string> {
    const calls = this.taken.flatMap(({ result }) => result.calls)
    return new Set(
      calls
        .filter(({ actor }) => this.accepts(actor, "call.lost"))
        .map(({ actor, cause }) => leaseKey(actor, cause)),
    )
  }

  #messages(): readonly { readonly group: GroupAddress; readonly message: NewMessage }[] {
    return this.taken.flatMap(({ result }) =>
      result.messages.map((message, at) => ({
        group: groupOf(message.to),
        message: { ...message, key: `${message.cause.join(" ")} ${at}` },
      })),
    )
  }
}

/** The state of the actor after its turn, or the refusal. */
function outcomeOf({ group, outcome }: TurnResult, to: Address): string {
  if (outcome.type === "refused") return outcome.code
  const snapshot = group.actors.get(to)?.snapshot
  return snapshot === undefined ? "" : statePath(snapshot)
}

function leaseEndOf(loaded: LoadedGroup | undefined, timer: Timer): EpochMs | undefined {
  const key = timerKey(timer.to, timer.id)
  const stored = loaded?.group?.timers.get(key)
  return stored !== undefined && isSameTimer(stored, timer) ? loaded?.leaseEndByTimer.get(key) : undefined
}

/** Key of a lease: a call and the timer that the same step of the same actor armed. */
function leaseKey(actor: Address, cause: Cause): string {
  return `${actor} ${cause.join(" ")}`
}

function isSameTimer(one: Timer | undefined, other: Timer): boolean {
  return one !== undefined && sameCause(one.cause, other.cause)
}
