import { expect, test, vi } from "vitest"
import { main } from "../../src/cli/main.ts"
import { EngineFault } from "../../src/kernel/faults.ts"

vi.mock(import("../../src/simulation/scenario/run.ts"), () => ({
  runScenario: () => {
    throw new EngineFault({ reason: "a turn is too long", at: "reservation/res_1", found: "1000 steps" })
  },
}))

test("a fault of the engine ends with 3, and says which scenario and seed show it", async () => {
  const written: string[] = []
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written.push(String(text))
    return true
  })
  const status = await main(["run", "scenarios/reservations/the-bot-never-shows-up.yaml", "--seed", "7"])
  spy.mockRestore()
  expect(status).toBe(3)
  expect(written.join("")).toContain("engine fault in The bot never shows up, seed 7")
  expect(written.join("")).toContain(
    "again: npx curbline run scenarios/reservations/the-bot-never-shows-up.yaml --seed 7",
  )
  expect(written.join("")).toContain("a turn is too long at reservation/res_1: 1000 steps")
})
