/** A page whose session was lost, without a browser. */

import { afterEach, expect, test, vi } from "vitest"
import { endSession, leave, sessionLost } from "../../../src/pages/web/session-watch.ts"
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

test("while a person signs out, a refused read leads nowhere; a sign-out that is refused asks whether the session has ended", async () => {
  const assign = vi.fn<(url: string) => void>()
  const location = { pathname: "/portal/account", search: "", assign }
  const hidden: (() => void)[] = []
  const addEventListener = (_: string, listener: () => void): void => void hidden.push(listener)
  vi.stubGlobal("window", { location, addEventListener })
  const readNow = vi.fn<Door["readNow"]>().mockResolvedValue({ type: "ended" })
  const door: Door = { signIn: "/portal/sign-in", home: "/portal", readNow }
  const refused = async (): Promise<void> => {
    sessionLost(door)
    await Promise.reject(new Error("refused"))
  }
  await expect(endSession(door, refused)).rejects.toThrow("refused")
  expect(assign.mock.calls).toEqual([["/portal/sign-in?to=%2Fportal%2Faccount"]])
  expect(readNow).toHaveBeenCalledTimes(1)
  await endSession(door, () => Promise.resolve(sessionLost(door)))
  sessionLost(door)
  expect(readNow).toHaveBeenCalledTimes(1)
  // The page is shown again from the browser's memory.
  for (const hide of hidden) hide()
  sessionLost(door)
  await expect.poll(() => assign.mock.calls.length).toBe(2)
})
