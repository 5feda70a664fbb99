/** Parts of a file of streets with their tags, whatever its format. */

/** `[longitude, latitude]`. */
export type Position = readonly [number, number]
export type Tags = Readonly<Record<string, unknown>>

/** A line of the file, in one part or several. */
export interface FileLine {
  readonly tags: Tags
  /** OpenStreetMap's, such as `way/4711`; null for a line without. */
  readonly id: string | null
  /** `feature 12 ("Main Street", id way/4711)`, for messages. */
  readonly label: string
  /** Each has two positions or more. */
  readonly parts: readonly (readonly Position[])[]
}

export interface FilePoint {
  readonly tags: Tags
  readonly id: string | null
  readonly position: Position
}

/** A turn restriction: from one way to another at a position, or over further ways. */
export interface FileTurn {
  readonly tags: Tags
  /** Ids of ways, such as `way/4711`. */
  readonly from: readonly string[]
  readonly to: readonly string[]
  /** Null when it is not one node of the file: ways, or a node that the file does not have. */
  readonly via: Position | null
  /** Ids of the ways between the two; empty at a node. */
  readonly over: readonly string[]
}

export interface FileParts {
  readonly lines: readonly FileLine[]
  readonly points: readonly FilePoint[]
  readonly turns: readonly FileTurn[]
}

/** With the name and the id, where the line has them. */
export function labelOf(begins: string, tags: Tags, id: string | null): string {
  const name = tags["name"]
  const about = [
    ...(typeof name === "string" ? [JSON.stringify(name)] : []),
    ...(id === null ? [] : [`id ${id}`]),
  ]
  return about.length === 0 ? begins : `${begins} (${about.join(", ")})`
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
