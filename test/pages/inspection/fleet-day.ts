/** The record of a long day of many vehicles: small entries, so that it is read in a moment. */

const STATES = ["idle", { underway: "to_store" }, { underway: "at_store" }]

/** Each vehicle starts, and then takes turns with the others. Two get an event that they refuse. */
export function fleetDay({ entries, actors }: { readonly entries: number; readonly actors: number }): string {
  const lines = [`{"k":"run","v":1,"clock0":"2026-03-02T17:30:00.000Z","title":"A long day"}`]
  for (let row = 0; row < entries; row += 1) {
    const g = `vehicle/veh_${String(row % actors).padStart(5, "0")}`
    const r = Math.floor(row / actors) + 1
    const type = r === 1 ? "@start" : "store.reached"
    const start = r === 1 ? { start: { machine: "vehicle@1" } } : { event: { type } }
    const on = r === 1 ? { type, machine: "vehicle@1" } : { type }
    const value = STATES[r % STATES.length]
    const step = { a: g, on, did: "moved", value, context: { turns: r }, status: "active", asked: [] }
    const e = { to: g, by: "command", ...start, atMs: row, cause: null, refused: null, steps: [step] }
    lines.push(JSON.stringify({ k: "turn", s: row + 1, t: row * 100, g, r, h: "", e }))
  }
  return `${lines.join("\n")}\n`
}
