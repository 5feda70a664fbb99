/** What the studio's page and its server send each other about the swarm, as JSON. */

/** Which seeds are tried. */
export interface SwarmRequest {
  /** The first seed; the others follow it. */
  readonly from: number
  readonly count: number
  readonly unit: "minutes" | "seeds"
  readonly workers: number
}

/** What the machine can do. */
export interface SwarmRoom {
  readonly workersMax: number
}

/** How many of all. */
export interface SwarmPart {
  readonly reached: number
  readonly all: number
}

export interface SwarmFigures {
  readonly seeds: number
  readonly perSecond: number
  readonly turns: number
  readonly wallMs: number
  readonly states: SwarmPart
  readonly transitions: SwarmPart
}

/** A sentence that a seed broke first. */
export interface SwarmBroken {
  readonly sentence: string
  readonly seed: number
  /** What was found instead. */
  readonly found: string
}

/** A line of the stream of a swarm. `end` comes last, unless it was stopped. */
export type SwarmProgress =
  | { readonly is: "broken"; readonly broken: SwarmBroken }
  | { readonly is: "end"; readonly figures: SwarmFigures }
  | { readonly is: "fault"; readonly message: string }
  | { readonly is: "figures"; readonly figures: SwarmFigures }

/** A failing seed, made small. */
export interface SwarmFinding {
  readonly seed: number
  readonly sentence: string
  readonly moves: { readonly before: number; readonly after: number }
  readonly faults: readonly string[]
  /** The course in plain words. */
  readonly words: string
  /** The text of a scenario file; null when no file shows the failure. */
  readonly text: string | null
  /** Why there is none. */
  readonly why: string | null
}
