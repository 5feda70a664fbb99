/**
 * The course of a fleet run: everything that moved, waited or changed its state, in columns. A recorder beside the world writes it, and
 * pages, reports and charts read it. Columns are typed arrays, so that a worker hands them over without a copy.
 *
 * Instants are whole milliseconds since the start of the run. Places are millionths of a degree (WGS 84), about a decimetre. -1 is "none"
 * in signed columns. Rows of one actor stand in the order of their instants.
 */

/** What is known before the run begins. */
export interface CourseHead {
  readonly title: string
  readonly seed: number
  /** Epoch milliseconds. */
  readonly startMs: number
  /** From the start; orders may end after it. */
  readonly horizonMs: number
  readonly timeZone: string
  readonly sites: readonly CourseSite[]
  /** Whether vehicles drive along the streets of a file; else their ways are straight lines. */
  readonly isOnStreets: boolean
  /** Streets of the file that no vehicle uses, because they do not lead to the sites and back; absent without any. */
  readonly unconnected?: CourseUnconnected
  /** The course comes from a journal: what kitchens do, the shifts of runners and ways between two reports are not known. */
  readonly isRecord?: true
}

export interface CourseUnconnected {
  readonly parts: number
  readonly metres: number
  /** Their corners. */
  readonly lines: readonly (readonly CoursePlace[])[]
}

export interface CourseSite {
  readonly name: string
  readonly at: CoursePlace
  /** The ring that its vehicles serve; empty without vehicles. */
  readonly area: readonly CoursePlace[]
  /** Labels of its stalls, in the order of the curb. */
  readonly stalls: readonly string[]
  readonly stores: readonly CourseStore[]
}

export interface CourseStore {
  readonly name: string
  /** Null: at the place of its site. */
  readonly at: CoursePlace | null
  /** Null: as many as are needed. */
  readonly cooks: number | null
}

/** WGS 84 degrees. */
export type CoursePlace = readonly [latitude: number, longitude: number]

export type ActorKind = "order" | "robot" | "runner" | "vehicle"

/** Somebody or something of the run; its number is its position in the list of all. */
export interface CourseActor {
  readonly kind: ActorKind
  /** As people call it: `north/runner-2`, an order's number. */
  readonly name: string
  readonly site: number
  /** Address of its group in the service, such as `reservation/res_8f…`; null for people of the world. */
  readonly address: string | null
  /** Of an order and of its robot. */
  readonly order: CourseOrder | null
}

/** What is known of an order from its request. */
export interface CourseOrder {
  readonly product: "courier" | "delivery" | "reservation"
  readonly number: string
  /** Of the site's stores. */
  readonly store: number
  /** Of the site's stalls; null for an order that a vehicle takes. */
  readonly stall: number | null
  /** Where it goes; null for an order that a robot fetches. */
  readonly door: CoursePlace | null
  /** The arrival window of its robot, or from its request to the promise. */
  readonly fromMs: number
  /** On board, or at the door, later than this is late. */
  readonly promisedMs: number
}

/**
 * A way of an actor from one place to another. A drive along streets has a leg for each piece between two corners. A leg of no length
 * says where the actor stands. Its state is that of the change with which the way began.
 */
export interface CourseLegs {
  readonly actor: Uint32Array
  /** Number of the state's name. */
  readonly state: Uint8Array
  readonly fromMs: Uint32Array
  /** When it arrives. A later leg or change of the same actor may come before: the leg ends there. */
  readonly untilMs: Uint32Array
  readonly fromLatitude: Int32Array
  readonly fromLongitude: Int32Array
  readonly toLatitude: Int32Array
  readonly toLongitude: Int32Array
}

/** An actor enters a state, or another order becomes its own. Every state has a change, also one with legs. */
export interface CourseChanges {
  readonly actor: Uint32Array
  /** Number of the state's name. */
  readonly state: Uint8Array
  readonly atMs: Uint32Array
  /** Actor number of the order that it is about; -1 for none. */
  readonly order: Int32Array
}

/** A count has a new value from an instant on: how many wait, are busy, are on duty. */
export interface CourseLevels {
  /** Number of the count's name. */
  readonly level: Uint16Array
  readonly atMs: Uint32Array
  readonly value: Int32Array
}

export const BREAK_KINDS = ["broken promise", "declined", "no-show", "fault"] as const

export type BreakKind = (typeof BREAK_KINDS)[number]

/** What went wrong. */
export interface CourseBreaks {
  /** Position in BREAK_KINDS. */
  readonly kind: Uint8Array
  readonly atMs: Uint32Array
  /** The actor that it happened to; -1 for an order that never began. */
  readonly actor: Int32Array
  readonly site: Uint16Array
}

/** A count of the course. */
export interface CourseLevelName {
  readonly resource: "cooks" | "runners" | "stalls" | "vehicles"
  readonly what: "busy" | "duty" | "queue"
  /** Of one site. */
  readonly site: number
}

/** What a part of a run added. Names come before, or with, the first row that uses them. */
export interface CourseChunk {
  /** Rows are complete up to this instant. */
  readonly untilMs: number
  readonly actors: readonly CourseActor[]
  readonly states: readonly string[]
  readonly levelNames: readonly CourseLevelName[]
  readonly legs: CourseLegs
  readonly changes: CourseChanges
  readonly levels: CourseLevels
  readonly breaks: CourseBreaks
}

export function emptyLegs(): CourseLegs {
  return {
    actor: new Uint32Array(),
    state: new Uint8Array(),
    fromMs: new Uint32Array(),
    untilMs: new Uint32Array(),
    fromLatitude: new Int32Array(),
    fromLongitude: new Int32Array(),
    toLatitude: new Int32Array(),
    toLongitude: new Int32Array(),
  }
}

export function emptyChanges(): CourseChanges {
  return {
    actor: new Uint32Array(),
    state: new Uint8Array(),
    atMs: new Uint32Array(),
    order: new Int32Array(),
  }
}

export function emptyLevels(): CourseLevels {
  return { level: new Uint16Array(), atMs: new Uint32Array(), value: new Int32Array() }
}

export function emptyBreaks(): CourseBreaks {
  return {
    kind: new Uint8Array(),
    atMs: new Uint32Array(),
    actor: new Int32Array(),
    site: new Uint16Array(),
  }
}
