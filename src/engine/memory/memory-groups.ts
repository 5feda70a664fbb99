/**
 * The groups of a simulated run: live groups, waiting messages, and folded groups. Folding drops a settled group after
 * a while when the run is not recorded: its turns stay in the run's digest, and a tombstone drops and counts late
 * messages until the tombstone itself is removed.
 */

import { groupOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { added, NONE } from "../kernel/few.ts"
import { isGroupSettled, persistGroup, reviveGroup, waitingActors } from "../kernel/group.ts"
import type { Group, PersistedGroup, Timer } from "../kernel/group.ts"
import { HeadSum } from "../kernel/hash.ts"
import type { Program } from "../kernel/program.ts"
import type { WaitingMessage } from "../kernel/unit-of-work.ts"

/** All of it as plain JSON. */
export interface GroupsContent {
  readonly groups: readonly (PersistedGroup & { readonly sequences: readonly number[] })[]
  readonly messages: readonly WaitingMessage[]
  readonly foldedCount: number
  readonly foldQueue: readonly Folding[]
  readonly tombstones: readonly (readonly [GroupAddress, EpochMs])[]
}

interface Folding {
  readonly group: GroupAddress
  readonly revision: number
  readonly atMs: EpochMs
}

export interface FoldTimes {
  readonly foldAfterMs: number
  readonly tombstoneAfterMs: number
}

/** The place of a group, so that a turn does not search it twice. */
interface Kept {
  group: Group
}

export class MemoryGroups {
  readonly #program: Program
  readonly #groups = new Map<GroupAddress, Kept>()
  /** The last one that was asked for: a turn reads its group, and then writes it. */
  #last: Kept | null = null
  readonly #messages = new Map<number, WaitingMessage>()
  readonly #callsByGroup = new Map<GroupAddress, number>()
  #foldedCount = 0
  #foldQueue: Folding[] = []
  /** How many entries at the start of the queue were folded; they are removed in larger portions. */
  #folded = 0
  #tombstones = new Map<GroupAddress, EpochMs>()
  /** When the first tombstone ends, at the earliest. */
  #tombstoneEndMs: EpochMs = 0

  constructor(program: Program) {
    this.#program = program
  }

  get(address: GroupAddress): Group | null {
    return this.#kept(address)?.group ?? null
  }

  #kept(address: GroupAddress): Kept | undefined {
    if (this.#last?.group.address === address) return this.#last
    const kept = this.#groups.get(address)
    if (kept !== undefined) this.#last = kept
    return kept
  }

  all(): readonly Group[] {
    return Array.from(this.#groups.values(), ({ group }) => group)
  }

  get size(): number {
    return this.#groups.size
  }

  put(group: Group): void {
    const kept = this.#kept(group.address)
    if (kept === undefined) this.#groups.set(group.address, { group })
    else kept.group = group
  }

  remove(address: GroupAddress): void {
    this.#last = null
    this.#groups.delete(address)
  }

  isFolded(address: GroupAddress): boolean {
    return this.#tombstones.has(address)
  }

  get foldedCount(): number {
    return this.#foldedCount
  }

  addMessage(message: WaitingMessage): void {
    this.#messages.set(message.sequence, message)
  }

  hasMessage(sequence: number): boolean {
    return this.#messages.has(sequence)
  }

  takeMessage(sequence: number): void {
    this.#messages.delete(sequence)
  }

  /** Messages waiting for one group, oldest first. */
  messagesFor(group: GroupAddress): readonly WaitingMessage[] {
    let found: WaitingMessage[] = NONE
    for (const message of this.#messages.values())
      if (groupOf(message.to) === group) found = added(found, message)
    return found
  }

  countCall(group: GroupAddress, change: 1 | -1): void {
    const left = (this.#callsByGroup.get(group) ?? 0) + change
    if (left <= 0) this.#callsByGroup.delete(group)
    else this.#callsByGroup.set(group, left)
  }

  forgetCalls(): void {
    this.#callsByGroup.clear()
  }

  /** The sum of all heads: the hash of a recorded run, which folds no group. */
  hash(): string {
    const sum = new HeadSum()
    for (const group of this.all()) sum.add(group.address, group.head)
    return sum.total()
  }

  /** Actors that are neither settled nor allowed to rest. */
  waiting(): readonly string[] {
    return this.all().flatMap((group) => waitingActors(group))
  }

  /** Schedules a group to be folded later, if it is settled now and still settled then. */
  considerFolding(group: Group, nowMs: EpochMs, times: FoldTimes): void {
    if (isGroupSettled(group)) this.foldLater(group, nowMs, times)
  }

  /** The same for a group that only rests, when the caller knows that nothing will be sent to it. */
  foldLater(group: Group, nowMs: EpochMs, times: FoldTimes): void {
    this.#foldQueue.push({ group: group.address, revision: group.revision, atMs: nowMs + times.foldAfterMs })
  }

  /** Folds what is due, and returns the addresses of folded groups. Cost: constant for each. */
  fold(nowMs: EpochMs, times: FoldTimes): readonly GroupAddress[] {
    const gone: GroupAddress[] = []
    let taken = this.#folded
    for (
      let due = this.#foldQueue[taken];
      due !== undefined && due.atMs <= nowMs;
      due = this.#foldQueue[taken]
    ) {
      taken += 1
      const group = this.#groups.get(due.group)?.group
      if (group === undefined || group.revision !== due.revision || this.#callsByGroup.has(due.group))
        continue
      // The turn that takes the message schedules the folding again.
      if (this.messagesFor(due.group).length > 0) continue
      this.#foldedCount += 1
      this.remove(due.group)
      this.#tombstones.set(due.group, nowMs + times.tombstoneAfterMs)
      gone.push(due.group)
    }
    this.#folded = taken
    if (taken > 1_000 && taken > this.#foldQueue.length / 2) this.#dropFolded()
    if (this.#tombstoneEndMs <= nowMs) this.#dropTombstones(nowMs)
    return gone
  }

  #dropTombstones(nowMs: EpochMs): void {
    // Until there is another tombstone, nothing ends before one that begins now.
    this.#tombstoneEndMs = nowMs + 1
    for (const [address, untilMs] of this.#tombstones) {
      if (untilMs > nowMs) {
        this.#tombstoneEndMs = untilMs
        return
      }
      this.#tombstones.delete(address)
    }
  }

  #dropFolded(): void {
    this.#foldQueue = this.#foldQueue.slice(this.#folded)
    this.#folded = 0
  }

  /** `sequenceOf`: a timer's order of arming. */
  content(sequenceOf: (timer: Timer) => number): GroupsContent {
    this.#dropFolded()
    return {
      groups: this.all().map((group) => ({
        ...persistGroup(group),
        sequences: [...group.timers.values()].map(sequenceOf),
      })),
      messages: [...this.#messages.values()],
      foldedCount: this.#foldedCount,
      foldQueue: [...this.#foldQueue],
      tombstones: [...this.#tombstones],
    }
  }

  /** Replaces all content. Returns the timers with their order of arming: the caller puts them on the agenda again, and the messages. */
  restore(content: GroupsContent): readonly (readonly [Timer, number])[] {
    const armed: (readonly [Timer, number])[] = []
    this.#groups.clear()
    this.#last = null
    this.#messages.clear()
    for (const { sequences, ...kept } of content.groups) {
      const group = reviveGroup(this.#program, kept)
      this.#groups.set(group.address, { group })
      for (const [at, timer] of [...group.timers.values()].entries()) armed.push([timer, sequences[at] ?? 0])
    }
    for (const message of content.messages) this.#messages.set(message.sequence, message)
    this.#foldedCount = content.foldedCount
    this.#foldQueue = [...content.foldQueue]
    this.#folded = 0
    this.#tombstones = new Map(content.tombstones)
    this.#tombstoneEndMs = 0
    return armed
  }

  /** All pending messages, oldest first. */
  messages(): readonly WaitingMessage[] {
    return [...this.#messages.values()]
  }
}
