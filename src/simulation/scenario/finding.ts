/** The result of looking up a fact. */

/** Whether the fact holds now. `isLost`: waiting longer cannot change the result. */
export interface Finding {
  readonly holds: boolean
  readonly expected: string
  readonly actual: string
  /** The group to explain when the fact does not hold. */
  readonly group: string | null
  readonly isLost?: boolean
}
