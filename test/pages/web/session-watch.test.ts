/** A page whose session was lost, without a browser. */

import { afterEach, expect, test, vi } from "vitest"
import { leave } from "../../../src/pages/web/session-watch.ts"
import type { Door } from "../../../src/pages/web/session-watch.ts"

afterEach(() => {
  vi.unstubAllGlobals()
})

test("a page leaves with the next lost call when the service's answer could not be read before", async () => {
  const assign = vi.fn<(url: string) => void>()
  vi.stubGlobal("window", { location: { pathname: "/ops/lists", search: "?state=1", assign } })
  const readNow = vi
    .fn<Door["readNow"]>()
    .mockRejectedValueOnce(new SyntaxError("the page has no data"))
    .mockResolvedValue({ type: "ended" })
  const door: Door = { signIn: "/ops/sign-in", home: "/ops", readNow }
  await expect(leave(door)).rejects.toThrow("no data")
  await leave(door)
  expect(assign.mock.calls).toEqual([["/ops/sign-in?to=%2Fops%2Flists%3Fstate%3D1"]])
})
