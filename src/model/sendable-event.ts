/** Events that an operator may send to an actor by hand: their fields, from which a page makes inputs and the service a check. */

export interface EventField {
  readonly name: string
  readonly type: "choice" | "count" | "flag" | "id" | "instant" | "weight"
  /** Of a choice. */
  readonly choices?: readonly string[]
  /** May be left out. */
  readonly isOptional?: true
  /** May be empty, which is said as null. */
  readonly isNullable?: true
}

/** What may be sent to actors of one machine, by the event's type. */
export type SendableEvents = Readonly<Record<string, readonly EventField[]>>
