/**
 * Loaded before a service whose tests need the middle of the day: its clock is off by as much as the environment says, and goes on
 * from there. Stores close at night, and tests run then too.
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
