/** Where a machine's states and transitions are written. Lines count from 1. */
export interface SourceLines {
  /** From the root of the project: `machines/reservation.ts`. */
  readonly file: string
  /** In the order of the chart's nodes; the first is the machine itself. */
  readonly nodes: readonly number[]
  /** In the order of the chart's edges. */
  readonly edges: readonly number[]
}
