/**
 * The chart document: a machine as plain JSON, from which every picture, table and outline is drawn. XState's own
 * `machine.definition` and `toDirectedGraph` omit `always` transitions, so this walks the machine's state nodes.
 */

import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate"

export type ChartNodeType = "atomic" | "compound" | "parallel" | "final" | "history"

/** One state; the first node of a document is the machine itself, with an empty `path` and no parent. */
export interface ChartNode {
  /** XState's id, `reservation.open.confirmed`; edges name nodes by it. */
  readonly id: string
  /** The state in the form of a snapshot's value, `open.confirmed`. */
  readonly path: string
  readonly key: string
  readonly type: ChartNodeType
  /** Id of the parent state; null for the machine itself. Nodes are in the machine's own order. */
  readonly parent: string | null
  readonly initial: string | null
  readonly history: "shallow" | "deep" | null
  readonly entry: readonly string[]
  readonly exit: readonly string[]
  readonly invoke: readonly string[]
  readonly tags: readonly string[]
  readonly description: string | null
}

export type ChartEdgeKind =
  "initial" | "history" | "always" | "event" | "wildcard" | "done" | "error" | "snapshot" | "after"

/** One transition, drawn once even with several targets. */
export interface ChartEdge {
  /** Unique in the document, and the same as long as the source state keeps its order of candidates. */
  readonly id: string
  readonly source: string
  /** Empty for a transition without a target; more than one only into parallel regions. */
  readonly targets: readonly string[]
  readonly kind: ChartEdgeKind
  /** The text for people: `bot.arrived`, `after window and grace`, `always`. */
  readonly label: string
  /** The event that the machine receives: its type, or XState's type for timers and ends; null for none. */
  readonly event: string | null
  readonly delay: string | null
  readonly guard: string | null
  readonly actions: readonly string[]
  /** True without a target: actions run, and no state is left or entered. */
  readonly internal: boolean
  /** True if the source is left and entered again even if the target is inside it, so that its timers restart. */
  readonly reenter: boolean
  /** Position among the candidates of the same state and event: 0 is checked first. */
  readonly order: number
  readonly description: string | null
}

/** `id` names machine and version: `reservation@1`. Nodes are in source order, parents before children. */
export interface ChartDocument {
  readonly id: string
  readonly description: string | null
  readonly nodes: readonly ChartNode[]
  readonly edges: readonly ChartEdge[]
}

/**
 * Reads one machine. Pure; plain JSON in the order of the source. Cost: once for each machine, never for each event.
 */
export function chartOf(machineId: string, machine: AnyStateMachine): ChartDocument {
  const states = withDescendants(machine.root)
  return {
    id: machineId,
    description: machine.root.description ?? null,
    nodes: states.map(nodeOf),
    edges: states.flatMap(edgesOf),
  }
}

function withDescendants(state: AnyStateNode): readonly AnyStateNode[] {
  return [state, ...Object.values(state.states).flatMap(withDescendants)]
}

function nodeOf(state: AnyStateNode): ChartNode {
  return {
    id: state.id,
    path: state.path.join("."),
    key: state.key,
    type: state.type,
    parent: state.parent?.id ?? null,
    initial: initialOf(state)?.id ?? null,
    history: state.type === "history" ? state.history || "shallow" : null,
    // Reads the config because XState adds a delayed raise to `state.entry`, and a cancel to the exit, for every timer.
    entry: listOf(state.config.entry).map(nameOfAction),
    exit: listOf(state.config.exit).map(nameOfAction),
    invoke: state.invoke.map(nameOfSource),
    tags: [...state.tags],
    description: state.description ?? null,
  }
}

function initialOf(state: AnyStateNode): AnyStateNode | null {
  return state.type === "compound" ? (state.initial.target?.[0] ?? null) : null
}

/** All transitions of one state, in XState's order: initial, eventless, and by event. */
function edgesOf(state: AnyStateNode): readonly ChartEdge[] {
  const edges: ChartEdge[] = []
  const initial = initialOf(state)
  if (initial !== null) {
    edges.push(edge(state, { kind: "initial", label: "initially", event: null }, 0, state.initial))
  }
  if (state.type === "history") edges.push(...historyDefaultOf(state))
  for (const [order, transition] of (state.always ?? []).entries()) {
    edges.push(edge(state, { kind: "always", label: "always", event: null }, order, transition))
  }
  for (const [event, candidates] of state.transitions) {
    for (const [order, transition] of candidates.entries()) {
      edges.push(edge(state, triggerOf(state, event, transition), order, transition))
    }
  }
  return edges
}

interface Trigger {
  readonly kind: ChartEdgeKind
  readonly label: string
  readonly event: string | null
  readonly delay?: string
}

function triggerOf(state: AnyStateNode, event: string, transition: AnyTransitionDefinition): Trigger {
  if ("delay" in transition) {
    const delay = typeof transition.delay === "number" ? `${transition.delay} ms` : String(transition.delay)
    return { kind: "after", label: `after ${delay}`, event, delay }
  }
  if (event === `xstate.done.state.${state.id}`) return { kind: "done", label: "done", event }
  for (const { id, src } of state.invoke) {
    if (event === `xstate.done.actor.${id}`)
      return { kind: "done", label: `done: ${nameOfSource({ src })}`, event }
    if (event === `xstate.error.actor.${id}`)
      return { kind: "error", label: `error: ${nameOfSource({ src })}`, event }
    if (event === `xstate.snapshot.${id}`)
      return { kind: "snapshot", label: `snapshot: ${nameOfSource({ src })}`, event }
  }
  if (event === "*") return { kind: "wildcard", label: "any other event", event }
  return { kind: event.endsWith(".*") ? "wildcard" : "event", label: event, event }
}

type Candidate = Pick<AnyTransitionDefinition, "target" | "actions" | "guard" | "reenter" | "description">

function edge(source: AnyStateNode, trigger: Trigger, order: number, transition: Candidate): ChartEdge {
  const targets = (transition.target ?? []).map((state) => state.id)
  return {
    id: `${source.id}#${trigger.event ?? trigger.kind}#${order}`,
    source: source.id,
    targets,
    kind: trigger.kind,
    label: trigger.label,
    event: trigger.event,
    delay: trigger.delay ?? null,
    guard: transition.guard === undefined ? null : nameOfGuard(transition.guard),
    actions: transition.actions.map(nameOfAction),
    internal: targets.length === 0,
    reenter: transition.reenter,
    order,
    description: transition.description ?? null,
  }
}

/** A history state's default, if the source declares one; otherwise that is the parent's initial state. */
function historyDefaultOf(state: AnyStateNode): readonly ChartEdge[] {
  const paths: readonly string[] = listOf(state.config.target)
  if (paths.length === 0) return []
  const target = paths.map((path) => siblingAt(state, path))
  const candidate = { target, actions: [], reenter: false } satisfies Candidate
  return [edge(state, { kind: "history", label: "without a history", event: null }, 0, candidate)]
}

function siblingAt(state: AnyStateNode, path: string): AnyStateNode {
  if (path.startsWith("#")) return state.machine.getStateNodeById(path)
  let found: AnyStateNode | undefined = state.parent
  for (const key of path.replace(/^\./, "").split(".")) found = found?.states[key]
  if (found === undefined) throw new Error(`history state ${state.id} names ${path}, which is no state`)
  return found
}

/** The action's name in `setup`, with its params: `announce the status(status: confirmed)`. */
function nameOfAction(action: unknown): string {
  if (typeof action === "string") return action
  if (typeof action === "function") return nameOfFunction(action)
  return withParams(action)
}

function nameOfGuard(guard: unknown): string {
  if (typeof guard === "string") return guard
  if (typeof guard !== "function") return withParams(guard)
  if ("stateValue" in guard) return `in ${JSON.stringify(guard.stateValue)}`
  if (!("guards" in guard) || !Array.isArray(guard.guards)) return nameOfFunction(guard)
  const names = guard.guards.map(nameOfGuard)
  return guard.name === "not"
    ? `not (${names.join("")})`
    : names.map((name) => `(${name})`).join(` ${guard.name} `)
}

/** XState's built-in actions have a type, `xstate.assign`; a plain function has at most its own name. */
function nameOfFunction(named: object): string {
  if ("type" in named && typeof named.type === "string") return named.type.replace(/^xstate\./, "")
  return "name" in named && typeof named.name === "string" && named.name !== "" ? named.name : "unnamed"
}

function withParams(named: unknown): string {
  const { type, params } = named as { readonly type: string; readonly params?: unknown }
  if (params === undefined) return type
  if (typeof params !== "object" || params === null) return `${type}(computed)`
  const words = Object.entries(params).map(([key, value]) => `${key}: ${wordOf(value)}`)
  return `${type}(${words.join(", ")})`
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "computed")
}

function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value as T]
}

/** The `setup` name of an invoked source; an inline source has none. */
function nameOfSource({ src }: { readonly src: unknown }): string {
  return typeof src === "string" ? src : "(inline)"
}
