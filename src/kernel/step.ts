/**
 * The one file that touches XState: it takes one event into one machine and records every microstep. It is long for
 * that reason: an upgrade of XState changes this file and no other file of the kernel.
 *
 * It uses these internals of XState, each covered by test/kernel/xstate-contract.test.ts: `machine.transition` and
 * `getInitialSnapshot` with an actor scope of our own (the exported `transition` builds a whole actor for each call and
 * takes twice as long), the scope's `actionExecutor`, and the `@xstate.microstep` notice that its system gets after
 * every microstep.
 *
 * The second half plans steps. Which states a transition leaves and enters from given active states, and which actions
 * run, never changes, so it is computed once and cached; XState computes it for each event, and the whole state value
 * and tags for each `assign`. Guards and transitions are still XState's own; `assign`, `emit`, `raise`, `cancel` and
 * `enqueueActions` are done here from what XState keeps of them. Steps are planned for machines of plain and compound
 * states only, and for transitions that enter no final state but one of the root; otherwise `plannedStep` returns null
 * and XState takes the whole step. The fallback is safe because machines are pure. test/kernel/planned-step.test.ts
 * compares planned steps with XState's; DECISIONS 14 has the measured gain.
 */

import { getInitialMicrosteps } from "xstate"
import type { AnyActorScope, AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from "xstate"
import { evaluateGuard } from "xstate/guards"
import type { JsonObject } from "../model/json.ts"
import { MICROSTEPS_MAX } from "../model/limits.ts"
import type { Verb } from "../model/verbs.ts"

export type Snapshot = AnyMachineSnapshot

/** A machine as the registry holds it. */
export type Machine = AnyStateMachine

/** A snapshot as the journal and the store keep it. */
export interface PersistedSnapshot {
  readonly value: JsonObject | string
  readonly context: JsonObject
  readonly status: "active" | "done"
}

/** The requests of one microstep, in order, and the snapshot at its end. */
export interface Microstep {
  readonly snapshot: Snapshot
  readonly asked: readonly Asked[]
}

/** A verb for the kernel, or a timer armed or disarmed. */
export type Asked =
  | Verb
  | { readonly type: "arm"; readonly id: string; readonly event: string; readonly delayMs: number }
  | { readonly type: "disarm"; readonly id: string }

export interface Stepped {
  readonly snapshot: Snapshot
  readonly microsteps: readonly Microstep[]
  /** The fields of the context that the step assigned, in order; at a start, the whole context. */
  readonly assigned: readonly JsonObject[]
  /** `moved`: another snapshot. `handled`: only actions ran. `ignored`: no transition was taken. */
  readonly did: "moved" | "handled" | "ignored"
}

interface ExecutableAction {
  readonly type: string
  readonly params: unknown
}

let asked: Asked[] = []
let microsteps: Microstep[] = []
let assigned: JsonObject[] = []

const actorScope = {
  self: { id: "", sessionId: "", send: () => undefined },
  id: "",
  sessionId: "",
  logger: () => undefined,
  defer: () => undefined,
  stopChild: () => undefined,
  emit: () => undefined,
  actionExecutor: noteAction,
  system: {
    _sendInspectionEvent: (notice: { readonly type: string; readonly snapshot: Snapshot }) => {
      if (notice.type === "@xstate.microstep") endMicrostep(notice.snapshot)
    },
  },
} as unknown as AnyActorScope

const noted: StepSink = {
  scope: actorScope,
  act: noteAction,
  assigned: (fields) => void assigned.push(fields as JsonObject),
  microstep: endMicrostep,
}

/** Takes a machine into its first state. Cost: about 5 µs. Rethrows the machine's errors. */
export function initial(machine: AnyStateMachine, input: JsonObject): Stepped {
  forget()
  const planned = plannedStart(machine, input, noted)
  if (planned !== null) return started(planned, [{ snapshot: planned, asked }])
  forget()
  const snapshot: Snapshot = machine.getInitialSnapshot(actorScope, input)
  if (snapshot.status === "error") throw snapshot.error
  // XState sends no notice for the initial microstep. Without further microsteps the result is its snapshot.
  if (microsteps.length === 0) return started(snapshot, [{ snapshot, asked }])
  const all = getInitialMicrosteps(machine, input as never) as [Snapshot, ExecutableAction[]][]
  const whole = all.map(([at, actions]) => ({
    snapshot: at,
    asked: actions.map(translate).filter((one): one is Asked => one !== null),
  }))
  return started(snapshot, whole)
}

function started(snapshot: Snapshot, all: readonly Microstep[]): Stepped {
  return { snapshot, microsteps: all, assigned: [snapshot.context as JsonObject], did: "moved" }
}

/** Takes one event into a machine. Cost: about 3 µs. Rethrows the machine's errors. */
export function step(
  machine: AnyStateMachine,
  snapshot: Snapshot,
  event: { readonly type: string },
): Stepped {
  if (snapshot.status !== "active") return ignored(snapshot)
  forget()
  const after = plannedStep(machine, snapshot, event, noted) ?? wholeStep(machine, snapshot, event)
  if (after.status === "error") throw after.error
  if (after !== snapshot) return { snapshot: after, microsteps, assigned, did: "moved" }
  for (const micro of microsteps)
    if (micro.asked.length > 0) return { snapshot, microsteps, assigned, did: "handled" }
  return ignored(snapshot)
}

function ignored(snapshot: Snapshot): Stepped {
  return { snapshot, microsteps: [], assigned: [], did: "ignored" }
}

function forget(): void {
  asked = []
  microsteps = []
  assigned = []
}

function wholeStep(machine: AnyStateMachine, snapshot: Snapshot, event: { readonly type: string }): Snapshot {
  forget()
  const after: Snapshot = machine.transition(snapshot, event, actorScope)
  if (after.context !== snapshot.context) assigned.push(differentFields(snapshot, after))
  return after
}

/** What XState assigned in a whole step: the fields of the context that are not as before. */
function differentFields(before: Snapshot, after: Snapshot): JsonObject {
  const [old, now] = [before.context as JsonObject, after.context as JsonObject]
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => old[name] !== value))
}

/** One restored snapshot for each status and state value. Snapshots of one state differ only in their context. */
const revivedByMachine = new WeakMap<AnyStateMachine, Map<string, Snapshot>>()

/** Restores a snapshot from its persisted form. */
export function revive(machine: AnyStateMachine, kept: PersistedSnapshot): Snapshot {
  const { context, status, value } = kept
  if (!isPlain(machine)) return machine.resolveState({ value: value as never, context, status })
  let known = revivedByMachine.get(machine)
  if (known === undefined) revivedByMachine.set(machine, (known = new Map()))
  const key = `${status} ${JSON.stringify(value)}`
  let like = known.get(key)
  if (like === undefined)
    known.set(key, (like = machine.resolveState({ value: value as never, context: {}, status })))
  return withContext(like, context)
}

/** The part of a snapshot that is persisted. */
export function persist(snapshot: Snapshot): PersistedSnapshot {
  return {
    value: snapshot.value as JsonObject | string,
    context: snapshot.context as JsonObject,
    status: snapshot.status === "done" ? "done" : "active",
  }
}

/** The active state as a dotted path, `open.at_store`; of parallel regions, the first one's path. */
export function statePath(snapshot: Snapshot): string {
  const path: string[] = []
  let value: unknown = snapshot.value
  while (typeof value === "object" && value !== null) {
    const [key = "", below] = Object.entries(value)[0] ?? []
    path.push(key)
    value = below
  }
  return [...path, String(value)].join(".")
}

/** True in a state in which nothing happens by itself. A late request, such as for a refund, may still be taken. */
export function isSettled(snapshot: Snapshot): boolean {
  return snapshot.status === "done" || snapshot.hasTag("settled")
}

/** True in a state that may last for an unlimited time. */
export function mayRest(snapshot: Snapshot): boolean {
  return isSettled(snapshot) || snapshot.hasTag("resting")
}

function noteAction(action: ExecutableAction): void {
  const translated = translate(action)
  if (translated !== null) asked.push(translated)
}

function endMicrostep(snapshot: Snapshot): void {
  microsteps.push({ snapshot, asked })
  if (microsteps.length > MICROSTEPS_MAX)
    throw new Error(`more than ${MICROSTEPS_MAX} microsteps for one event`)
  asked = []
}

function translate(action: ExecutableAction): Asked | null {
  switch (action.type) {
    case "xstate.emit":
      return (action.params as { readonly event: Verb }).event
    case "xstate.raise": {
      const raised = action.params as {
        readonly event: { readonly type: string }
        readonly id: string | undefined
        readonly delay: number | undefined
      }
      // A raise without a delay was already processed in this macrostep.
      if (raised.delay === undefined) return null
      if (raised.id === undefined) throw new Error(`the delayed event ${raised.event.type} has no id`)
      return { type: "arm", id: raised.id, event: raised.event.type, delayMs: raised.delay }
    }
    case "xstate.cancel":
      return { type: "disarm", id: (action.params as { readonly sendId: string }).sendId }
    default:
      throw new Error(
        `the action ${action.type} is a side effect; a machine may only emit requests to the kernel`,
      )
  }
}

// Planned steps.

interface Event {
  readonly type: string
}

/** The parts of XState's transition definition that are used here. */
interface Transition {
  readonly target: readonly AnyStateNode[] | undefined
  readonly source: AnyStateNode
  readonly reenter: boolean
  readonly actions: readonly unknown[]
  readonly guard?: unknown
}

type FieldOf = (args: ActionArgs, params: unknown) => unknown

/** An action of XState with what it was made from. Machines have these alone; another one is left to XState. */
type Resolved =
  | { readonly type: "xstate.assign"; readonly assignment: FieldOf | Readonly<Record<string, unknown>> }
  | { readonly type: "xstate.emit"; readonly event: unknown }
  | { readonly type: "xstate.raise"; readonly event: unknown; readonly id: unknown; readonly delay: unknown }
  | { readonly type: "xstate.cancel"; readonly sendId: unknown }
  | { readonly type: "xstate.enqueueActions"; readonly collect: (args: object, params: unknown) => void }

const PLANNED_ACTIONS: ReadonlySet<unknown> = new Set<Resolved["type"]>([
  "xstate.assign",
  "xstate.emit",
  "xstate.raise",
  "xstate.cancel",
  "xstate.enqueueActions",
])

interface ActionArgs {
  readonly context: unknown
  readonly event: Event
  readonly self: unknown
  readonly system: unknown
}

interface PlannedAction {
  readonly resolved: Resolved
  readonly params: unknown
}

/** A set of active states and everything that depends only on them. */
interface Config {
  readonly nodes: AnyStateNode[]
  readonly value: unknown
  readonly tags: Set<string>
  /** Eventless transitions in the order in which XState checks them. */
  readonly always: readonly Transition[]
  readonly plans: Map<Transition, Plan | null>
  /** Transitions by event type, innermost state first. */
  readonly candidates: Map<string, readonly Transition[]>
}

interface Plan {
  readonly actions: readonly PlannedAction[]
  /** The active states after the transition; null when they do not change. */
  readonly next: Config | null
  /** True when the machine ends. */
  readonly isLast: boolean
}

/** Receives the end of every microstep, and every action that XState does not run itself. */
export interface StepSink {
  readonly scope: AnyActorScope
  readonly act: (action: ExecutableAction) => void
  /** Receives the fields of every planned assignment. */
  readonly assigned: (fields: object) => void
  readonly microstep: (snapshot: Snapshot) => void
}

/** A planned step under way. */
interface Walk {
  readonly machine: AnyStateMachine
  readonly sink: StepSink
  /** Raised events. */
  readonly queue: Event[]
  /** At the end of the last microstep. */
  snapshot: Snapshot
  config: Config
  /** After the last action. */
  context: unknown
  event: Event
}

const isPlainByMachine = new WeakMap<AnyStateMachine, boolean>()
const configByNodes = new WeakMap<readonly AnyStateNode[], Config>()
const configsByMachine = new WeakMap<AnyStateMachine, Map<string, Config>>()

/** Takes one event; null when some part of the step cannot be planned. The sink may have been called before that. */
export function plannedStep(
  machine: AnyStateMachine,
  snapshot: Snapshot,
  event: Event,
  sink: StepSink,
): Snapshot | null {
  if (!isPlain(machine)) return null
  const config = configOf(machine, snapshot._nodes)
  const walk: Walk = { machine, sink, queue: [], snapshot, config, context: snapshot.context, event }
  let isPlanned = microstep(walk, select(walk))
  let mayMoveByItself = true
  while (isPlanned) {
    if (walk.snapshot.status !== "active") return walk.snapshot
    let enabled: Transition | undefined = mayMoveByItself ? eventless(walk) : undefined
    const before: Snapshot | undefined = enabled === undefined ? undefined : walk.snapshot
    if (enabled === undefined) {
      const raised = walk.queue.shift()
      if (raised === undefined) return walk.snapshot
      walk.event = raised
      enabled = select(walk)
    }
    isPlanned = microstep(walk, enabled)
    mayMoveByItself = walk.snapshot !== before
  }
  return null
}

interface Beginning {
  /** A snapshot in the first states, with an empty context. */
  readonly template: Snapshot
  readonly config: Config
  readonly actions: readonly PlannedAction[]
}

const beginningByMachine = new WeakMap<AnyStateMachine, Beginning | null>()

/** Takes a machine into its first state; null when that cannot be planned. */
export function plannedStart(machine: AnyStateMachine, input: unknown, sink: StepSink): Snapshot | null {
  let beginning = beginningByMachine.get(machine)
  if (beginning === undefined) beginningByMachine.set(machine, (beginning = makeBeginning(machine)))
  if (beginning === null) return null
  const { template, config, actions } = beginning
  const event = { type: "xstate.init", input }
  const factory = machine.config.context as unknown as (given: object) => object
  const context = { ...factory({ spawn: undefined, input, self: sink.scope.self }) }
  const walk: Walk = { machine, sink, queue: [], snapshot: template, config, context, event }
  for (const action of actions) if (!act(walk, action)) return null
  return walk.queue.length > 0 ? null : withContext(template, walk.context)
}

function makeBeginning(machine: AnyStateMachine): Beginning | null {
  if (!isPlain(machine) || typeof machine.config.context !== "function") return null
  const nodes: AnyStateNode[] = [machine.root]
  for (let at = machine.root; at.type === "compound";) {
    const child = at.initial.target[0] as AnyStateNode
    if (child.parent !== at || child.type === "final") return null
    nodes.push(child)
    at = child
  }
  const actions = nodes
    .flatMap((node) => [
      ...(node.entry as readonly unknown[]),
      ...(node.type === "compound" ? (node.initial.actions as readonly unknown[]) : []),
    ])
    .map((action) => planAction(machine, action))
  const value = valueOf(nodes)
  const template = machine.resolveState({ value, context: {} } as never) as Snapshot
  const config = configOf(machine, nodes)
  if (config.always.length > 0 || !actions.every((action) => action !== null)) return null
  return { template: build(template, { context: {}, config, status: "active" }), config, actions }
}

/** False when the transition cannot be planned. */
function microstep(walk: Walk, transition: Transition | undefined): boolean {
  if (transition !== undefined) {
    const { snapshot } = walk
    const plan = planOf(walk, transition)
    if (plan === null) return false
    for (const action of plan.actions) if (!act(walk, action)) return false
    if (plan.next !== null) walk.config = plan.next
    if (plan.next !== null || walk.context !== snapshot.context) {
      const status = plan.isLast ? "done" : snapshot.status
      walk.snapshot = build(snapshot, { context: walk.context, config: walk.config, status })
    }
  }
  walk.sink.microstep(walk.snapshot)
  return true
}

/** Does what XState does for the action; false when it cannot be planned. */
function act(walk: Walk, { resolved, params }: PlannedAction): boolean {
  const { sink, event, context } = walk
  const { self, system } = sink.scope
  const args: ActionArgs = { context, event, self, system }
  const given = typeof params === "function" ? (params({ context, event }) as unknown) : params
  switch (resolved.type) {
    case "xstate.assign": {
      const fields = fieldsOf(resolved.assignment, args, given)
      sink.assigned(fields)
      walk.context = { ...(context as object), ...fields }
      return true
    }
    case "xstate.emit":
      sink.act({ type: resolved.type, params: { event: valueFor(resolved.event, args, given) } })
      return true
    case "xstate.raise": {
      const raised = valueFor(resolved.event, args, given) as Event
      const named =
        typeof resolved.delay === "string" ? delayOf(walk.machine, resolved.delay) : resolved.delay
      const delay = valueFor(named, args, given)
      if (typeof delay !== "number") walk.queue.push(raised)
      sink.act({ type: resolved.type, params: { event: raised, id: resolved.id, delay } })
      return true
    }
    case "xstate.cancel":
      sink.act({ type: resolved.type, params: { sendId: valueFor(resolved.sendId, args, given) } })
      return true
    case "xstate.enqueueActions":
      return actAll(walk, enqueuedBy(walk, resolved.collect, given))
  }
}

function valueFor(value: unknown, args: ActionArgs, params: unknown): unknown {
  return typeof value === "function" ? (value as FieldOf)(args, params) : value
}

function delayOf(machine: AnyStateMachine, name: string): unknown {
  return (machine.implementations.delays as Readonly<Record<string, unknown>> | undefined)?.[name]
}

/** The fields that `assign` changes. There is no spawner: machines start actors through a verb. */
function fieldsOf(
  assignment: FieldOf | Readonly<Record<string, unknown>>,
  args: ActionArgs,
  params: unknown,
): object {
  if (typeof assignment === "function") return assignment(args, params) as object
  const fields: Record<string, unknown> = {}
  for (const key in assignment) fields[key] = valueFor(assignment[key], args, params)
  return fields
}

function actAll(walk: Walk, actions: readonly unknown[] | null): boolean {
  if (actions === null) return false
  for (const action of actions) {
    const planned = planAction(walk.machine, action)
    if (planned === null || !act(walk, planned)) return false
  }
  return true
}

/** The actions that the running function enqueued; null once one of them is left to XState. */
let enqueued: unknown[] | null = null

/** What `enqueueActions` hands to its function. */
const enqueue = Object.assign((action: unknown) => void enqueued?.push(action), {
  assign: (assignment: unknown) => void enqueued?.push({ type: "xstate.assign", assignment }),
  emit: (event: unknown) => void enqueued?.push({ type: "xstate.emit", event }),
  cancel: leaveToXState,
  raise: leaveToXState,
  sendParent: leaveToXState,
  sendTo: leaveToXState,
  spawnChild: leaveToXState,
  stopChild: leaveToXState,
})

function leaveToXState(): void {
  enqueued = null
}

/** Null when something was enqueued that cannot be planned. */
function enqueuedBy(
  { machine, snapshot, context, event, sink }: Walk,
  collect: (args: object, params: unknown) => void,
  params: unknown,
): readonly unknown[] | null {
  enqueued = []
  const check = (guard: unknown): boolean =>
    evaluateGuard(
      guard as never,
      context as never,
      event as never,
      { ...snapshot, machine, context } as never,
    )
  const { self, system } = sink.scope
  collect({ context, event, enqueue, check, self, system }, params)
  return enqueued
}

function withContext(snapshot: Snapshot, context: unknown): Snapshot {
  return build(snapshot, {
    context,
    config: { nodes: snapshot._nodes, value: snapshot.value, tags: snapshot.tags },
    status: snapshot.status,
  })
}

interface Built {
  readonly context: unknown
  readonly config: Pick<Config, "nodes" | "tags" | "value">
  readonly status: Snapshot["status"]
}

function build(from: Snapshot, { context, config, status }: Built): Snapshot {
  return {
    status,
    output: from.output,
    error: from.error,
    machine: from.machine,
    context,
    _nodes: config.nodes,
    value: config.value,
    tags: config.tags,
    children: from.children,
    historyValue: from.historyValue,
    matches: from.matches,
    hasTag: from.hasTag,
    can: from.can,
    getMeta: from.getMeta,
    toJSON: from.toJSON,
  } as unknown as Snapshot
}

function eventless({ config, snapshot, event }: Walk): Transition | undefined {
  for (const transition of config.always) if (passes(transition, snapshot, event)) return transition
  return undefined
}

function select({ config, snapshot, event }: Walk): Transition | undefined {
  let candidates = config.candidates.get(event.type)
  if (candidates === undefined)
    config.candidates.set(event.type, (candidates = candidatesOf(config, event.type)))
  try {
    for (const transition of candidates) if (passes(transition, snapshot, event)) return transition
    return undefined
  } catch {
    // Runs XState's own code, because its error names the guard and the state.
    return snapshot.machine.getTransitionData(snapshot, event)[0]
  }
}

function passes({ guard }: Transition, snapshot: Snapshot, event: Event): boolean {
  return guard === undefined || evaluateGuard(guard as never, snapshot.context, event as never, snapshot)
}

function candidatesOf({ nodes }: Config, type: string): readonly Transition[] {
  const candidates: Transition[] = []
  for (let at = atomicOf(nodes); at !== undefined; at = at.parent) {
    candidates.push(...((at.transitions.get(type) ?? []) as unknown as Transition[]))
  }
  return candidates
}

function atomicOf(nodes: readonly AnyStateNode[]): AnyStateNode | undefined {
  return nodes.find(({ type }) => type === "atomic" || type === "final")
}

function isPlain(machine: AnyStateMachine): boolean {
  const known = isPlainByMachine.get(machine)
  if (known !== undefined) return known
  const isSo = isPlainNode(machine.root)
  isPlainByMachine.set(machine, isSo)
  return isSo
}

function isPlainNode(node: AnyStateNode): boolean {
  if (node.type === "parallel" || node.type === "history" || node.invoke.length > 0) return false
  if ([...node.transitions.keys()].some((descriptor) => descriptor.includes("*"))) return false
  return Object.values(node.states).every(isPlainNode)
}

function configOf(machine: AnyStateMachine, nodes: AnyStateNode[]): Config {
  const known = configByNodes.get(nodes)
  if (known !== undefined) return known
  const key = nodes.map(({ id }) => id).join("|")
  let configs = configsByMachine.get(machine)
  if (configs === undefined) configsByMachine.set(machine, (configs = new Map()))
  let config = configs.get(key)
  if (config === undefined) configs.set(key, (config = makeConfig(nodes)))
  configByNodes.set(nodes, config)
  return config
}

function makeConfig(nodes: AnyStateNode[]): Config {
  const atomic = atomicOf(nodes)
  const always: Transition[] = []
  for (let at: AnyStateNode | undefined = atomic; at !== undefined; at = at.parent) {
    always.push(...((at.always ?? []) as unknown as Transition[]))
  }
  const value = valueOf(nodes)
  const tags = new Set(nodes.flatMap((node) => node.tags))
  return { nodes, value, tags, always, plans: new Map(), candidates: new Map() }
}

function valueOf(nodes: readonly AnyStateNode[]): unknown {
  const atomic = atomicOf(nodes)
  let value: unknown = {}
  for (let at = atomic; at?.parent !== undefined; at = at.parent) {
    value = at === atomic ? at.key : { [at.key]: value }
  }
  return value
}

function planOf({ machine, config }: Walk, transition: Transition): Plan | null {
  const known = config.plans.get(transition)
  if (known !== undefined) return known
  const plan = makePlan(machine, config, transition)
  config.plans.set(transition, plan)
  return plan
}

function makePlan(machine: AnyStateMachine, config: Config, transition: Transition): Plan | null {
  const moves = movesOf(config.nodes, transition)
  if (moves === null) return null
  const isLast = moves.entered.some(({ node }) => node.type === "final" && node.parent === machine.root)
  // An inner final state raises an event, and an output is computed: both are left to XState.
  if (moves.entered.some(({ node }) => node.type === "final" && (!isLast || node.output !== undefined)))
    return null
  if (isLast && machine.root.output !== undefined) return null
  const staying = new Set(config.nodes)
  for (const node of moves.left) staying.delete(node)
  for (const { node } of moves.entered) staying.add(node)
  const isSame = staying.size === config.nodes.length && config.nodes.every((node) => staying.has(node))
  // A machine that ends leaves all its states, innermost first, and keeps them in that order.
  const nodes = isLast ? [...staying].toSorted((a, b) => b.order - a.order) : [...staying]
  const actions = [
    ...moves.left.flatMap((node) => node.exit as readonly unknown[]),
    ...transition.actions,
    ...moves.entered.flatMap(({ node, isDefault }) => [
      ...(node.entry as readonly unknown[]),
      ...(isDefault && node.type === "compound" ? (node.initial.actions as readonly unknown[]) : []),
    ]),
    ...(isLast ? nodes.flatMap((node) => node.exit as readonly unknown[]) : []),
  ].map((action) => planAction(machine, action))
  if (!actions.every((action) => action !== null)) return null
  return { actions, next: isSame ? null : configOf(machine, nodes), isLast }
}

function planAction(machine: AnyStateMachine, action: unknown): PlannedAction | null {
  const named = action as string | Resolved | { readonly type: string; readonly params?: unknown }
  if (typeof named !== "string" && PLANNED_ACTIONS.has(named.type))
    return { resolved: named as Resolved, params: undefined }
  const { actions } = machine.implementations
  const resolved = (typeof named === "string" ? actions[named] : actions[named.type]) as unknown as
    Resolved | undefined
  if (resolved === undefined || !PLANNED_ACTIONS.has(resolved.type)) return null
  return { resolved, params: typeof named === "string" ? undefined : (named as { params?: unknown }).params }
}

interface Moves {
  /** Innermost first. */
  readonly left: readonly AnyStateNode[]
  /** Outermost first; `isDefault` when its initial actions run too. */
  readonly entered: readonly { readonly node: AnyStateNode; readonly isDefault: boolean }[]
}

/** Exit and entry sets of one transition. Source: SCXML, microstep procedure, for a machine without parallel states. */
function movesOf(active: readonly AnyStateNode[], { target, source, reenter }: Transition): Moves | null {
  if (target === undefined || target.length === 0) return { left: [], entered: [] }
  const [to] = target
  if (to === undefined || target.length > 1) return null
  const domain = domainOf(to, source, reenter)
  if (domain === undefined) return null
  const left = active.filter(
    (node) => isInside(node, domain) || (reenter && source === domain && node === domain),
  )
  const isDefaultByNode = new Map<AnyStateNode, boolean>()
  if (to !== source || source !== domain || reenter) isDefaultByNode.set(to, true)
  for (let at = to; at.type === "compound";) {
    const child = at.initial.target[0] as AnyStateNode
    // XState would also enter the states between; no machine here has an initial state that skips a level.
    if (child.parent !== at) return null
    isDefaultByNode.set(child, true)
    at = child
  }
  for (let at = to.parent; at !== undefined && at !== domain; at = at.parent) {
    if (!isDefaultByNode.has(at)) isDefaultByNode.set(at, false)
  }
  const entered = [...isDefaultByNode].map(([node, isDefault]) => ({ node, isDefault }))
  return {
    left: left.toSorted((a, b) => b.order - a.order),
    entered: entered.toSorted((a, b) => a.node.order - b.node.order),
  }
}

function domainOf(to: AnyStateNode, source: AnyStateNode, reenter: boolean): AnyStateNode | undefined {
  if (!reenter && (to === source || isInside(to, source))) return source
  for (let at = to.parent; at !== undefined; at = at.parent) if (isInside(source, at)) return at
  return reenter ? undefined : to.machine.root
}

function isInside(node: AnyStateNode, outer: AnyStateNode): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) if (at === outer) return true
  return false
}
