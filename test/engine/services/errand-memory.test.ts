/** What a process remembers about errands. */

import { Effect } from "effect"
import { expect, test } from "vitest"
import { ErrandsOfProcess } from "../../../src/areas/courier/errand-memory.ts"
import type { CourierEnvelope } from "../../../src/model/courier.ts"

const STORE = { storeId: "store_1", place: { latitude: 30.4, longitude: -97.7 } }
const CALL = { userId: "usr_one", key: "k-1" }
const ANSWER = { state: "confirmed" } as CourierEnvelope

test("a store is handed out once", () => {
  const memory = new ErrandsOfProcess()
  expect(memory.takeStore("del_1")).toBeNull()
  memory.putStore("del_1", STORE)
  expect([memory.takeStore("del_1"), memory.takeStore("del_1")]).toEqual([STORE, null])
})

test("after ten thousand stores the oldest is forgotten, and a store that is put again counts as new", () => {
  const memory = new ErrandsOfProcess()
  for (let count = 0; count < 10_000; count++) memory.putStore(`del_${count}`, STORE)
  memory.putStore("del_0", STORE)
  memory.putStore("del_more", STORE)
  expect([memory.takeStore("del_0"), memory.takeStore("del_1"), memory.takeStore("del_2")]).toEqual([
    STORE,
    null,
    STORE,
  ])
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
