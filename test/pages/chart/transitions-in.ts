/** Counts the transitions that a machine's source declares, from its raw config, so that it shares nothing with charts. */

interface Config {
  readonly [part: string]: unknown
}

/** Transitions under `on`, `always`, `after`, `onDone`, `onError` and a history's `target`; starts are not counted. */
export function transitionsIn(config: object): number {
  const { on, after, always, onDone, states, invoke, type, target } = config as Config
  const invoked = listOf(invoke).flatMap((each) => [(each as Config)["onDone"], (each as Config)["onError"]])
  const candidates = [...valuesOf(on), ...valuesOf(after), always, onDone, ...invoked].flatMap(listOf)
  const defaults = type === "history" && target !== undefined ? 1 : 0
  const below = valuesOf(states).map((state) => transitionsIn(state as object))
  return candidates.length + defaults + below.reduce((sum, count) => sum + count, 0)
}

function valuesOf(part: unknown): readonly unknown[] {
  return Object.values((part ?? {}) as Config)
}

function listOf(part: unknown): readonly unknown[] {
  if (part === undefined) return []
  return Array.isArray(part) ? part : [part]
}
