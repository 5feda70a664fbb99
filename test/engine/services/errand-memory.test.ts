/** What a process remembers about errands. */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { ErrandsOfProcess } from "../../../src/areas/courier/errand-memory.ts"
import type { CourierEnvelope } from "../../../src/model/courier.ts"

const PLACE = { latitude: 30.4, longitude: -97.7 }
const CALL = { userId: "usr_one", key: "k-1" }
const ANSWER = { state: "confirmed" } as CourierEnvelope

test("the place of a store is handed out once", () => {
  const memory = new ErrandsOfProcess()
  expect(memory.takeStorePlace("del_1")).toBeNull()
  memory.putStorePlace("del_1", PLACE)
  expect([memory.takeStorePlace("del_1"), memory.takeStorePlace("del_1")]).toEqual([PLACE, null])
})

test("after ten thousand places the oldest is forgotten, and a place that is put again counts as new", () => {
  const memory = new ErrandsOfProcess()
  for (let count = 0; count < 10_000; count++) memory.putStorePlace(`del_${count}`, PLACE)
  memory.putStorePlace("del_0", PLACE)
  memory.putStorePlace("del_more", PLACE)
  expect([
    memory.takeStorePlace("del_0"),
    memory.takeStorePlace("del_1"),
    memory.takeStorePlace("del_2"),
  ]).toEqual([PLACE, null, PLACE])
})

test("a waiting call hears the answer to its own key only, and nothing once it has ended", () => {
  const memory = new ErrandsOfProcess()
  const heard = Effect.runSync(
    memory.waiting(CALL, (answered) =>
      Effect.sync(() => {
        const before = answered()
        memory.answer({ ...CALL, key: "k-2" }, ANSWER)
        memory.answer({ ...CALL, userId: "usr_two" }, ANSWER)
        const others = answered()
        memory.answer(CALL, ANSWER)
        return [before, others, answered()]
      }),
    ),
  )
  expect(heard).toEqual([null, null, ANSWER])
  const later = Effect.runSync(memory.waiting(CALL, (answered) => Effect.sync(answered)))
  expect(later).toBeNull()
})

test("of two calls with one key, the end of the first does not take the answer from the second", () => {
  const memory = new ErrandsOfProcess()
  const heard = Effect.runSync(
    memory.waiting(CALL, () =>
      memory.waiting(CALL, (answered) =>
        Effect.sync(() => {
          memory.answer(CALL, ANSWER)
          return answered()
        }),
      ),
    ),
  )
  expect(heard).toEqual(ANSWER)
})
