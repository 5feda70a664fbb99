/** Exit statuses of the command line. */

export const EXIT = {
  /** All checks passed. */
  passed: 0,
  /** An expectation, an invariant or a promise failed, or a record differs. */
  failed: 1,
  /** The command line or a file is invalid. */
  usage: 2,
  /** The engine or a machine broke. */
  fault: 3,
  /** Ctrl-C. */
  interrupted: 130,
} as const

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT]
