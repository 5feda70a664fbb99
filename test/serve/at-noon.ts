/**
 * Preloaded by a service whose tests need the middle of the day: its clock is shifted by the amount in the environment.
 * Stores close at night, and tests must also run then.
 */

const offMs = Number(process.env["CLOCK_OFF_MS"] ?? 0)
const RealDate = Date

class OffDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(RealDate.now() + offMs)
    else super(...(given as [number]))
  }

  static override now(): number {
    return RealDate.now() + offMs
  }
}

globalThis.Date = OffDate as DateConstructor
