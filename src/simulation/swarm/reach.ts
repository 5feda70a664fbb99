/** What part of the machines' states and transitions runs have reached, and which they have not. */

import type { Program } from "../../engine/kernel/program.ts"
import type { Coverage } from "./coverage.ts"

type Machines = Program["machines"]
type StateNode = Machines[string]["root"]

export interface Reach {
  readonly all: number
  /** In the order of the machines. */
  readonly missed: readonly string[]
  readonly reached: readonly string[]
}

export interface Reached {
  /** States that have no states in them. */
  readonly states: Reach
  /** Transitions that lead to a state, by the state they leave, their event and their target. */
  readonly transitions: Reach
}

interface Step {
  readonly before: string
  readonly event: string
  readonly after: string
}

/** Machines by name and version: versions of one machine are counted as the newest. */
export function reachOf({ counts }: Pick<Coverage, "counts">, machines: Machines): Reached {
  const stepsByKind = new Map<string, Step[]>()
  for (const name of counts.get("transition")?.keys() ?? []) {
    const { kind, ...step } = parsed(name)
    const steps = stepsByKind.get(kind)
    if (steps === undefined) stepsByKind.set(kind, [step])
    else steps.push(step)
  }
  const states: Counting = { all: 0, missed: [], reached: [] }
  const transitions: Counting = { all: 0, missed: [], reached: [] }
  for (const [kind, machine] of newest(machines)) {
    const steps = stepsByKind.get(kind) ?? stepsByKind.get(partNamed(kind, stepsByKind)) ?? []
    for (const node of nodesOf(machine.root)) countNode(kind, node, { steps, states, transitions })
  }
  return { states, transitions }
}

interface Counting {
  all: number
  readonly missed: string[]
  readonly reached: string[]
}

interface Counts {
  readonly steps: readonly Step[]
  readonly states: Counting
  readonly transitions: Counting
}

function countNode(kind: string, node: StateNode, { steps, states, transitions }: Counts): void {
  const path = node.path.join(".")
  if (Object.keys(node.states).length === 0) {
    count(
      states,
      `${kind}: ${path}`,
      steps.some(({ after }) => isIn(after, path)),
    )
  }
  for (const [event, candidates] of node.transitions) {
    const targets = new Set(candidates.flatMap(({ target = [] }) => target.map((one) => one.path.join("."))))
    for (const target of targets) {
      // With one target the event is enough: the state may have been left again within the step.
      const isReached = steps.some(
        (step) =>
          step.event === event && isIn(step.before, path) && (targets.size === 1 || isIn(step.after, target)),
      )
      count(transitions, `${kind}: ${path} ${event} ${target}`, isReached)
    }
  }
}

function count(counting: Counting, name: string, isReached: boolean): void {
  counting.all += 1
  if (isReached) counting.reached.push(name)
  else counting.missed.push(name)
}

/** Whether a state is this one or inside it; everything is inside the root. */
function isIn(state: string, path: string): boolean {
  return path === "" || state === path || state.startsWith(`${path}.`)
}

function nodesOf(node: StateNode): readonly StateNode[] {
  return [node, ...Object.values(node.states).flatMap((inner) => nodesOf(inner))]
}

/** An actor in a group may have a shorter name than its machine: `payment` is a `courier-payment`. */
function partNamed(machine: string, stepsByKind: ReadonlyMap<string, unknown>): string {
  return [...stepsByKind.keys()].find((kind) => machine.endsWith(`-${kind}`)) ?? machine
}

/** `bot: underway.inbound bot.arrived underway.arrived`; names of events may have spaces. */
function parsed(name: string): Step & { readonly kind: string } {
  const [kind = "", rest = ""] = name.split(": ", 2)
  const words = rest.split(" ")
  return {
    kind,
    before: words[0] ?? "",
    event: words.slice(1, -1).join(" "),
    after: words.at(-1) ?? "",
  }
}

function newest(machines: Machines): ReadonlyMap<string, Machines[string]> {
  return new Map(Object.entries(machines).map(([id, machine]) => [id.replace(/@\d+$/, ""), machine]))
}
