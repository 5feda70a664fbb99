/** When a node counts as gone: by the watcher's own clock alone. */

import { expect, test } from "vitest"
import { NODE_GONE_MS } from "../../src/live/bounds.ts"
import { goneSince } from "../../src/live/node-watch.ts"

const idsOf = (found: ReturnType<typeof goneSince>) => found.map(({ nodeId }) => nodeId)

test("a node whose heart stands still for the whole bound is gone, and one that beats is not", () => {
  const seen = new Map()
  const look = (atMs: number, beating: number) =>
    idsOf(
      goneSince(
        seen,
        [
          { nodeId: "still", beats: 7 },
          { nodeId: "beating", beats: beating },
        ],
        atMs,
      ),
    )
  expect(look(1_000, 1)).toEqual([])
  expect(look(1_000 + NODE_GONE_MS - 1, 2)).toEqual([])
  expect(look(1_000 + NODE_GONE_MS, 3)).toEqual(["still"])
})

test("a watcher that comes late waits the whole bound, and a node that beats again begins anew", () => {
  const seen = new Map()
  const look = (atMs: number, beats: number) => idsOf(goneSince(seen, [{ nodeId: "one", beats }], atMs))
  expect(look(900_000, 3)).toEqual([])
  expect(look(900_000 + NODE_GONE_MS, 4)).toEqual([])
  expect(look(900_000 + 2 * NODE_GONE_MS - 1, 4)).toEqual([])
  expect(look(900_000 + 2 * NODE_GONE_MS, 4)).toEqual(["one"])
  // Its row is gone, and comes back.
  expect(goneSince(seen, [], 950_000)).toEqual([])
  expect(look(990_000, 4)).toEqual([])
})
