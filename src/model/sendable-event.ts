/**
 * Events that an operator may send to an actor by hand, with the fields from which a page makes form inputs and the
 * service checks the values.
 */

export interface EventField {
  readonly name: string
  readonly type: "choice" | "count" | "flag" | "id" | "instant" | "weight"
  /** The values of a choice. */
  readonly choices?: readonly string[]
  /** True when the field may be left out. */
  readonly isOptional?: true
  /** True when the field may be empty, which is sent as null. */
  readonly isNullable?: true
}

/** The sendable events of one machine, by event type. */
export type SendableEvents = Readonly<Record<string, readonly EventField[]>>
