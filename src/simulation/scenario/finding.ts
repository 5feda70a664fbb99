/** What looking a fact up came to. */

/** Whether the fact holds now. `isLost` says that waiting longer cannot help. */
export interface Finding {
  readonly holds: boolean
  readonly expected: string
  readonly actual: string
  /** The group to explain when the fact does not hold. */
  readonly group: string | null
  readonly isLost?: boolean
}
