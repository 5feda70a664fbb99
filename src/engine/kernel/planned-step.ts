/**
 * Planned steps. Which states a transition leaves and enters from given active states, and which actions run, never
 * changes, so it is computed once and cached; XState computes it for each event, and the whole state value and tags for
 * each `assign`. `assign`, `emit`, `raise`, `cancel` and `enqueueActions` are done here from what XState keeps of them,
 * and guards that are plain functions are called here.
 *
 * Steps are planned for machines of plain and compound states only, and for transitions that enter no final state but one
 * of the root; otherwise `plannedStep` returns null and XState takes the whole step. The fallback is safe because machines
 * are pure. test/engine/kernel/planned-step.test.ts compares planned steps with XState's; src/DECISIONS.md §14 says why.
 */

import type { AnyActorScope, AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from "xstate"
import { evaluateGuard } from "xstate/guards"
import { withFields } from "../../model/values/json.ts"
import type { Verb } from "../../model/verbs.ts"

export type Snapshot = AnyMachineSnapshot

/** A verb for the kernel, or a timer armed or disarmed. */
export type Asked =
  | Verb
  | { readonly type: "arm"; readonly id: string; readonly event: string; readonly delayMs: number }
  | { readonly type: "disarm"; readonly id: string }

export interface ExecutableAction {
  readonly type: string
  readonly params: unknown
}

interface Event {
  readonly type: string
}

/** Receives what a step does, and the end of every microstep. */
export interface StepSink {
  readonly scope: AnyActorScope
  readonly asked: (asked: Asked) => void
  /** Receives the fields of every planned assignment. */
  readonly assigned: (fields: object) => void
  readonly microstep: (snapshot: Snapshot) => void
}

/** The parts of XState's transition definition that are used here. */
interface Transition {
  readonly target: readonly AnyStateNode[] | undefined
  readonly source: AnyStateNode
  readonly reenter: boolean
  readonly actions: readonly unknown[]
  readonly guard?: unknown
}

interface GivenArgs {
  readonly context: unknown
  readonly event: Event
}

interface ActionArgs extends GivenArgs {
  readonly self: unknown
  readonly system: unknown
}

type FieldOf = (args: ActionArgs, params: unknown) => unknown

type ParamsOf = (args: GivenArgs) => unknown

/** What XState keeps of an action that it made. Machines have these alone; another one is left to XState. */
interface Resolved {
  readonly type: string
  readonly assignment?: unknown
  readonly event?: unknown
  readonly sendId?: unknown
  readonly collect?: unknown
  readonly id?: unknown
  readonly delay?: unknown
}

/** An action, always of the same shape, which makes reading it fast. */
interface PlannedAction {
  readonly does: "assign" | "cancel" | "emit" | "enqueue" | "raise"
  /** The assignment, the event, the id of a timer, or the function that enqueues; each may be a function of the arguments. */
  readonly what: unknown
  readonly params: unknown
  /** Of a raised event. */
  readonly id: unknown
  readonly delay: unknown
}

/** A transition from given active states. */
interface PlannedTransition {
  readonly transition: Transition
  /** Null: it is always taken, or its guard is left to XState. */
  readonly guard: ((args: GivenArgs, params: unknown) => boolean) | null
  readonly params: unknown
  readonly isGuardLeft: boolean
  /** Undefined until it is first taken; null when it cannot be planned. */
  plan: Plan | null | undefined
}

/** A set of active states and everything that depends only on them. */
interface Config {
  /** Whose actions and guards its plans run. */
  readonly machine: AnyStateMachine
  readonly nodes: AnyStateNode[]
  readonly value: unknown
  readonly tags: Set<string>
  /** A number that stands for the value. */
  readonly mark: number
  /** Eventless transitions in the order in which XState checks them. */
  readonly always: readonly PlannedTransition[]
  /** Transitions by event type, innermost state first. */
  readonly candidates: Map<string, readonly PlannedTransition[]>
}

interface Plan {
  readonly actions: readonly PlannedAction[]
  /** The active states after the transition; null when they do not change. */
  readonly next: Config | null
  /** True when the machine ends. */
  readonly isLast: boolean
}

/** A planned step under way. */
interface Walk {
  readonly machine: AnyStateMachine
  readonly sink: StepSink
  /** Raised events. Null until there is one. */
  queue: Event[] | null
  /** At the end of the last microstep. */
  snapshot: Snapshot
  config: Config
  /** After the last action. */
  context: unknown
  event: Event
  /** False once something was met that is left to XState. */
  isPlanned: boolean
}

const isPlainByMachine = new WeakMap<AnyStateMachine, boolean>()
const configsByMachine = new WeakMap<AnyStateMachine, Map<string, Config>>()

/** Where a list of active states keeps its config; null: its machine cannot be planned. A WeakMap would be searched at every step. */
const CONFIG = Symbol("config")

type Nodes = AnyStateNode[] & { [CONFIG]?: Config | null }

/** Takes one event; null when some part of the step cannot be planned. The sink may have been called before that. */
export function plannedStep(
  machine: AnyStateMachine,
  snapshot: Snapshot,
  event: Event,
  sink: StepSink,
): Snapshot | null {
  const config = knownConfig(machine, snapshot._nodes)
  if (config === null) return null
  const { context } = snapshot as { readonly context: unknown }
  const walk: Walk = { machine, sink, queue: null, snapshot, config, context, event, isPlanned: true }
  microstep(walk, select(walk))
  let mayMoveByItself = true
  while (walk.isPlanned) {
    if (walk.snapshot.status !== "active") return walk.snapshot
    let enabled: PlannedTransition | undefined = mayMoveByItself ? eventless(walk) : undefined
    const before: Snapshot | undefined = enabled === undefined ? undefined : walk.snapshot
    if (enabled === undefined) {
      const raised = walk.queue?.shift()
      if (raised === undefined) return walk.snapshot
      walk.event = raised
      enabled = select(walk)
    }
    microstep(walk, enabled)
    mayMoveByItself = walk.snapshot !== before
  }
  return null
}

const NO_FIELDS = {}

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
  const context = withFields(factory({ spawn: undefined, input, self: sink.scope.self }), NO_FIELDS)
  const walk: Walk = {
    machine,
    sink,
    queue: null,
    snapshot: template,
    config,
    context,
    event,
    isPlanned: true,
  }
  actAll(walk, actions)
  return walk.isPlanned && walk.queue === null ? withContext(template, walk.context) : null
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

function microstep(walk: Walk, planned: PlannedTransition | undefined): void {
  if (planned !== undefined) {
    const { snapshot } = walk
    const plan = planned.plan === undefined ? planFor(walk, planned) : planned.plan
    if (plan === null) {
      walk.isPlanned = false
      return
    }
    actAll(walk, plan.actions)
    if (!walk.isPlanned) return
    if (plan.next !== null) walk.config = plan.next
    if (plan.next !== null || walk.context !== snapshot.context) {
      const status = plan.isLast ? "done" : snapshot.status
      walk.snapshot = build(snapshot, { context: walk.context, config: walk.config, status })
    }
  }
  walk.sink.microstep(walk.snapshot)
}

/** Stops at an action that cannot be planned. */
function actAll(walk: Walk, actions: readonly PlannedAction[]): void {
  for (const action of actions) {
    act(walk, action)
    if (!walk.isPlanned) return
  }
}

/** Does what XState does for the action. */
function act(walk: Walk, { does, what, params, id, delay }: PlannedAction): void {
  const given = typeof params === "function" ? (params as ParamsOf)(givenTo(walk)) : params
  switch (does) {
    case "assign":
      return assign(walk, what, given)
    case "emit":
      return walk.sink.asked(valueFor(walk, what, given) as Verb)
    case "raise": {
      const raised = valueFor(walk, what, given) as Event
      const ms = valueFor(walk, typeof delay === "string" ? delayOf(walk.machine, delay) : delay, given)
      if (typeof ms === "number") return walk.sink.asked(armed(raised, id, ms))
      walk.queue ??= []
      walk.queue.push(raised)
      return
    }
    case "cancel":
      return walk.sink.asked({ type: "disarm", id: valueFor(walk, what, given) as string })
    case "enqueue":
      return runEnqueuing(walk, what as Enqueuing, given)
  }
}

function givenTo({ context, event }: Walk): GivenArgs {
  return { context, event }
}

function argsOf({ context, event, sink }: Walk): ActionArgs {
  const { self, system } = sink.scope
  return { context, event, self, system }
}

function valueFor(walk: Walk, value: unknown, params: unknown): unknown {
  return typeof value === "function" ? (value as FieldOf)(argsOf(walk), params) : value
}

function delayOf(machine: AnyStateMachine, name: string): unknown {
  return (machine.implementations.delays as Readonly<Record<string, unknown>> | undefined)?.[name]
}

/** There is no spawner: machines start actors through a verb. */
function assign(walk: Walk, assignment: unknown, params: unknown): void {
  const fields = fieldsOf(walk, assignment, params)
  walk.sink.assigned(fields)
  walk.context = withFields(walk.context as object, fields)
}

function fieldsOf(walk: Walk, assignment: unknown, params: unknown): object {
  if (typeof assignment === "function") return (assignment as FieldOf)(argsOf(walk), params) as object
  const values = assignment as Readonly<Record<string, unknown>>
  for (const name in values)
    if (typeof values[name] === "function") return computedFields(argsOf(walk), values, params)
  return values
}

function computedFields(
  args: ActionArgs,
  values: Readonly<Record<string, unknown>>,
  params: unknown,
): object {
  const fields: Record<string, unknown> = {}
  for (const name in values) {
    const value = values[name]
    fields[name] = typeof value === "function" ? (value as FieldOf)(args, params) : value
  }
  return fields
}

type Enqueuing = (args: object, params: unknown) => void

/** The step in which a function enqueues actions; null while none does. */
let enqueuing: Walk | null = null

/**
 * What `enqueueActions` hands to its function. Each action is done at once: the function sees the context from before,
 * and makes no other effect, so it cannot notice.
 */
const enqueue = Object.assign(
  (action: unknown) => {
    if (enqueuing === null || !enqueuing.isPlanned) return
    const planned = planAction(enqueuing.machine, action)
    if (planned === null) leaveToXState()
    else act(enqueuing, planned)
  },
  {
    assign: (assignment: unknown) => {
      if (enqueuing?.isPlanned === true) assign(enqueuing, assignment, undefined)
    },
    emit: (event: unknown) => {
      if (enqueuing?.isPlanned === true) enqueuing.sink.asked(valueFor(enqueuing, event, undefined) as Verb)
    },
    cancel: leaveToXState,
    raise: leaveToXState,
    sendParent: leaveToXState,
    sendTo: leaveToXState,
    spawnChild: leaveToXState,
    stopChild: leaveToXState,
  },
)

function leaveToXState(): void {
  if (enqueuing !== null) enqueuing.isPlanned = false
}

function runEnqueuing(walk: Walk, collect: Enqueuing, params: unknown): void {
  const { machine, snapshot, context, event, sink } = walk
  const check = (guard: unknown): boolean =>
    evaluateGuard(
      guard as never,
      context as never,
      event as never,
      { ...snapshot, machine, context } as never,
    )
  const { self, system } = sink.scope
  const outer = enqueuing
  enqueuing = walk
  try {
    collect({ context, event, enqueue, check, self, system }, params)
  } finally {
    enqueuing = outer
  }
}

export function withContext(snapshot: Snapshot, context: unknown): Snapshot {
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

function eventless(walk: Walk): PlannedTransition | undefined {
  const { always } = walk.config
  for (const planned of always) if (passes(planned, walk.snapshot, walk.event)) return planned
  return undefined
}

function select({ machine, config, snapshot, event }: Walk): PlannedTransition | undefined {
  let candidates = config.candidates.get(event.type)
  if (candidates === undefined)
    config.candidates.set(event.type, (candidates = candidatesOf(machine, config, event.type)))
  try {
    for (const planned of candidates) if (passes(planned, snapshot, event)) return planned
    return undefined
  } catch (thrown) {
    // Runs XState's own code, because its error names the guard and the state.
    snapshot.machine.getTransitionData(snapshot, event)
    throw thrown
  }
}

function passes(planned: PlannedTransition, snapshot: Snapshot, event: Event): boolean {
  const { guard, params, isGuardLeft, transition } = planned
  const { context } = snapshot as { readonly context: unknown }
  if (isGuardLeft) return evaluateGuard(transition.guard as never, context as never, event as never, snapshot)
  if (guard === null) return true
  const args = { context, event }
  return guard(args, typeof params === "function" ? (params as ParamsOf)(args) : params)
}

function planTransition(machine: AnyStateMachine, transition: Transition): PlannedTransition {
  const { guard } = transition
  const named = guard as { readonly type: string; readonly params?: unknown } | string
  const found =
    guard === undefined || typeof guard === "function"
      ? guard
      : (machine.implementations.guards as Readonly<Record<string, unknown>>)[
          typeof named === "string" ? named : named.type
        ]
  // A guard that combines others is an object or has a `check`.
  const isFunction = typeof found === "function" && !("check" in found)
  return {
    transition,
    guard: isFunction ? (found as NonNullable<PlannedTransition["guard"]>) : null,
    params: typeof guard === "object" && guard !== null ? (named as { params?: unknown }).params : undefined,
    isGuardLeft: guard !== undefined && !isFunction,
    plan: undefined,
  }
}

function candidatesOf(
  machine: AnyStateMachine,
  { nodes }: Config,
  type: string,
): readonly PlannedTransition[] {
  const candidates: PlannedTransition[] = []
  for (let at = atomicOf(nodes); at !== undefined; at = at.parent) {
    const own = (at.transitions.get(type) ?? []) as unknown as readonly Transition[]
    candidates.push(...own.map((transition) => planTransition(machine, transition)))
  }
  return candidates
}

function atomicOf(nodes: readonly AnyStateNode[]): AnyStateNode | undefined {
  return nodes.find(({ type }) => type === "atomic" || type === "final")
}

/** True for a machine whose steps can be planned. */
export function isPlain(machine: AnyStateMachine): boolean {
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

/**
 * Null for a machine that cannot be planned. Of two machines that differ in their implementations alone, one may be asked about a
 * snapshot of the other: each has its own plans.
 */
function knownConfig(machine: AnyStateMachine, nodes: Nodes): Config | null {
  const known = nodes[CONFIG]
  if (known === null || known?.machine === machine) return known
  const config = isPlain(machine) ? configOf(machine, nodes) : null
  if (known === undefined) nodes[CONFIG] = config
  return config
}

function configOf(machine: AnyStateMachine, nodes: AnyStateNode[]): Config {
  const key = nodes.map(({ id }) => id).join("|")
  let configs = configsByMachine.get(machine)
  if (configs === undefined) configsByMachine.set(machine, (configs = new Map()))
  let config = configs.get(key)
  if (config === undefined) configs.set(key, (config = makeConfig(machine, nodes)))
  return config
}

function makeConfig(machine: AnyStateMachine, nodes: AnyStateNode[]): Config {
  const always: PlannedTransition[] = []
  for (let at = atomicOf(nodes); at !== undefined; at = at.parent) {
    const own = (at.always ?? []) as unknown as readonly Transition[]
    always.push(...own.map((transition) => planTransition(machine, transition)))
  }
  const value = valueOf(nodes)
  const tags = new Set(nodes.flatMap((node) => node.tags))
  return { machine, nodes, value, tags, mark: markOf(value), always, candidates: new Map() }
}

/** A number of 32 bits for the active states of a snapshot, which are known by it as by their names. */
export function stateMark({ _nodes, value }: Snapshot): number {
  return (_nodes as Nodes)[CONFIG]?.mark ?? markOf(value)
}

/** FNV-1a. */
function markOf(value: unknown): number {
  let mark = 0x811c9dc5 | 0
  for (const letter of JSON.stringify(value)) mark = Math.imul(mark ^ letter.charCodeAt(0), 0x01000193)
  return mark
}

function valueOf(nodes: readonly AnyStateNode[]): unknown {
  const atomic = atomicOf(nodes)
  let value: unknown = {}
  for (let at = atomic; at?.parent !== undefined; at = at.parent) {
    value = at === atomic ? at.key : { [at.key]: value }
  }
  return value
}

function planFor({ machine, config }: Walk, planned: PlannedTransition): Plan | null {
  const plan = makePlan(machine, config, planned.transition)
  planned.plan = plan
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
  if (typeof named !== "string") {
    const own = planResolved(named, undefined)
    if (own !== null) return own
  }
  const { actions } = machine.implementations
  const resolved = (typeof named === "string" ? actions[named] : actions[named.type]) as unknown as
    Resolved | undefined
  if (resolved === undefined) return null
  const params = typeof named === "string" ? undefined : (named as { params?: unknown }).params
  return planResolved(resolved, params)
}

function planResolved(
  { type, assignment, event, sendId, collect, id, delay }: Resolved,
  params: unknown,
): PlannedAction | null {
  switch (type) {
    case "xstate.assign":
      return { does: "assign", what: assignment, params, id, delay }
    case "xstate.emit":
      return { does: "emit", what: event, params, id, delay }
    case "xstate.raise":
      return { does: "raise", what: event, params, id, delay }
    case "xstate.cancel":
      return { does: "cancel", what: sendId, params, id, delay }
    case "xstate.enqueueActions":
      return { does: "enqueue", what: collect, params, id, delay }
    default:
      return null
  }
}

/** What an action of XState requests; null for a raised event, which the same step has processed. */
export function askedBy({ type, params }: ExecutableAction): Asked | null {
  switch (type) {
    case "xstate.emit":
      return (params as { readonly event: Verb }).event
    case "xstate.raise": {
      const { event, id, delay } = params as {
        readonly event: Event
        readonly id: string | undefined
        readonly delay: number | undefined
      }
      return delay === undefined ? null : armed(event, id, delay)
    }
    case "xstate.cancel":
      return { type: "disarm", id: (params as { readonly sendId: string }).sendId }
    default:
      throw new Error(`the action ${type} is a side effect; a machine may only emit requests to the kernel`)
  }
}

function armed({ type }: Event, id: unknown, delayMs: number): Asked {
  if (id === undefined) throw new Error(`the delayed event ${type} has no id`)
  return { type: "arm", id: id as string, event: type, delayMs }
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
