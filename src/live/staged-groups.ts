/** The unit of work of one SQL transaction: the loaded groups, their turns, and the changes to write at the end. */

import { groupOf } from "../model/address.ts"
import type { Address, GroupAddress } from "../model/address.ts"
import type { Environment } from "../model/caller.ts"
import type { EpochMs } from "../model/time.ts"
import { sameCause, timerKey } from "../kernel/group.ts"
import type { Cause, Group, Timer } from "../kernel/group.ts"
import type { Program } from "../kernel/program.ts"
import { UnitOfWork } from "../kernel/unit-of-work.ts"
import type { Answer, TurnRequest } from "../services/host.ts"
import type { ArmedTimer, GroupChanges, LoadedGroup, NewMessage } from "../store/group-changes.ts"

export interface StagedGroupsOptions {
  readonly program: Program
  /** The node that makes the calls. */
  readonly node: string
  readonly nonce: () => string
  /** The clock when every lock was held. */
  readonly nowMs: EpochMs
  /** Groups of the locks, whether they have rows or not. */
  readonly locked: readonly GroupAddress[]
  /** Those of them that have rows. */
  readonly loaded: readonly LoadedGroup[]
}

export class StagedGroups extends UnitOfWork {
  readonly #program: Program
  readonly #node: string
  readonly #nonce: () => string
  readonly #loaded: ReadonlyMap<GroupAddress, LoadedGroup>
  readonly #environments = new Map<GroupAddress, Environment>()

  constructor({ node, loaded, ...options }: StagedGroupsOptions) {
    const byAddress = new Map(loaded.map((one) => [one.address, one]))
    super({
      ...options,
      knownMailboxes: "locked",
      committed: {
        group: (address) => byAddress.get(address)?.group ?? null,
        messages: (address) => byAddress.get(address)?.messages ?? [],
        sequenceOf: ({ to, id }) => byAddress.get(groupOf(to))?.sequenceByTimer.get(timerKey(to, id)) ?? 0,
      },
    })
    this.#program = options.program
    this.#node = node
    this.#nonce = options.nonce
    this.#loaded = byAddress
  }

  /** Runs a command's turn, and notes the environment of a group that it starts. */
  commandOf({ environment, ...request }: TurnRequest): Answer {
    if (environment !== undefined) this.#environments.set(groupOf(request.to), environment)
    return this.command(request)
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
        armed.push({
          timer,
          instantMs: current.instantMs,
          heldBy: leased.has(leaseKey(timer.to, timer.cause)) ? this.#node : null,
          sequence: this.sequenceOf(timer),
        })
      }
    }
    return {
      changed: changed.toSorted((a, b) => (a.address < b.address ? -1 : 1)),
      started: started.toSorted((a, b) => (a.address < b.address ? -1 : 1)),
      environments: this.#environments,
      disarmed,
      armed: armed.toSorted((a, b) => a.sequence - b.sequence),
      takenMessages: [...this.takenMessages],
      messages: this.#messages(),
      entries: this.taken.flatMap(({ result: { entry, instantMs } }) =>
        entry === null ? [] : [{ entry, instantMs }],
      ),
    }
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

/** Key of a lease: a call and the timer that the same step of the same actor armed. */
function leaseKey(actor: Address, cause: Cause): string {
  return `${actor} ${cause.join(" ")}`
}

function isSameTimer(one: Timer | undefined, other: Timer): boolean {
  return one !== undefined && sameCause(one.cause, other.cause)
}
