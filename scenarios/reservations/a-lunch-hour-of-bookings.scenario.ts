/** A lunch hour in TypeScript: twenty-four bookings, which YAML would have to spell out one by one. */

import { scenario } from "../../src/simulation/scenario/builder.ts"

const bookings = Array.from({ length: 24 }, (_, at) => ({
  name: `visit-${at + 1}`,
  from: clock(11 * 60 + 45 + at * 5),
  to: clock(11 * 60 + 60 + at * 5),
}))

function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`
}

let hour = scenario("A lunch hour fills three stalls evenly", {
  because:
    "Windows of fifteen minutes that start every five need exactly three stalls, and no two bookings share one.",
  clock: "2026-03-02T11:30 America/Chicago",
  tags: ["reservation", "stall"],
  always: ["no stall is shared without need"],
  promises: { events: "< 400", refusals: "= 0" },
})

for (const { name, from, to } of bookings) {
  hour = hour.do("reservation.create", { as: name, with: { window: [from, to] } })
}
for (const [at, { name }] of bookings.entries()) {
  hour = hour.expect({ reservation: name, stall: `A${(at % 3) + 1}` })
}
for (const { name, from } of bookings) {
  hour = hour.at(from).do("bot.report", { for: name, with: { status: "ARRIVED" } })
}
for (const { name } of bookings.slice(-3)) {
  hour = hour.expect({ reservation: name, status: "arrived" })
}

export const scenarios = [
  hour
    .wait("3h")
    .expect({ listed: 24, status: ["canceled"] })
    .build(),
]
