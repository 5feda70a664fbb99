/** The contract of journals as services read them. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { ask, start } from "../../src/engine/services/actors.ts"
import { GroupJournals, innermostState, stepsOf } from "../../src/engine/services/group-journals.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import type { RowsHarness } from "./reservation-rows.ts"

type Harness = RowsHarness<GroupJournals>

const journals = Effect.serviceFunctions(GroupJournals)

/** The actor of an endpoint after its start, three commands of which the last one is refused. */
export function endpoint(h: RowsHarness<never>, id: string): Promise<string> {
  const to = `webhook-endpoint/${id}`
  return h.run(
    Effect.gen(function* () {
      const host = yield* ActorHost
      const command = (body: Effect.Effect<unknown>) =>
        host.run({ name: "a test", locks: { groups: [to] }, body: () => Routine.from(body) })
      const input = { failuresMax: 3 }
      const nonce = yield* host.nonce
      yield* command(
        start("webhook-endpoint@1", {
          to,
          input,
          environment: "sandbox",
          organizationId: null,
          nonce,
        }) as never,
      )
      for (const type of ["endpoint.switched_off", "endpoint.removed", "endpoint.switched_on"] as const)
        yield* command(ask("webhook-endpoint", { to, event: { type }, nonce: yield* host.nonce }) as never)
      return to
    }),
  )
}

export function groupJournalsContract(name: string, make: () => Harness): void {
  describe(`journals of groups: ${name}`, () => {
    test("the turns of a group come in order, as many as are asked for, with what was refused", async () => {
      const h = make()
      const to = await endpoint(h, "whk_one")
      const turns = await h.run(journals.first(to, 100))
      expect(turns.map(({ revision }) => revision)).toEqual([1, 2, 3, 4])
      const states = stepsOf(turns, to).map(({ step }) => innermostState(step.value))
      expect(states).toEqual(["enabled", "disabled", "removed"])
      expect(turns.map(({ body }) => body.refused)).toEqual([null, null, null, "INVALID_STATE"])
      expect(turns.map(({ instantMs }) => instantMs)).toEqual(turns.map(({ body }) => body.instantMs))
      expect(await h.run(journals.first(to, 1))).toEqual(turns.slice(0, 1))
      expect(await h.run(journals.first("webhook-endpoint/none", 100))).toEqual([])
    })

    test("the turns of several groups come by group; groups without a turn are absent", async () => {
      const h = make()
      const addresses = [await endpoint(h, "whk_two"), await endpoint(h, "whk_one")]
      const found = await h.run(journals.of([...addresses, "webhook-endpoint/none"]))
      expect([...found.keys()].toSorted()).toEqual(addresses.toSorted())
      for (const address of addresses)
        expect(found.get(address)).toEqual(await h.run(journals.first(address, 100)))
      expect(await h.run(journals.of([]))).toEqual(new Map())
    })
  })
}
