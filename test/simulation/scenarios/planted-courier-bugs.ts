/** Planted bugs of the courier connector, for planted-bugs.test.ts: programs that break one invariant each. */

import { assign } from "xstate"
import { courierOrder } from "../../../machines/courier-order.ts"
import { courierPayment } from "../../../machines/courier-payment.ts"
import { scenario } from "../../../src/simulation/scenario/builder.ts"
import { planted, rewritten } from "./planted-bugs.ts"
import type { PlantedBug } from "./planted-bugs.ts"

const quoted = scenario("Lunch", {
  because: "It shows a planted bug.",
  clock: "2026-03-02T11:30 America/Chicago",
  given: { vehicles: [{ as: "van" }] },
}).do("errand.check", { as: "lunch" })

export const COURIER_BUGS: readonly PlantedBug[] = [
  {
    says: "a fee that cannot be taken books the errand all the same",
    breaks: "no errand is booked before its fee is taken",
    shownBy: quoted
      .do("errand.reserve", { for: "lunch", with: { token: "spt_uncaptured" } })
      .refuse({ do: "errand.confirm", for: "lunch", code: "payment_failed" }),
    options: {
      program: rewritten(
        "courier-order@1",
        courierOrder,
        ["states", "open", "states", "capturing", "on", "payment.declined"],
        "#courier-order.booked",
      ),
    },
  },
  {
    says: "a second hold leaves the first as it is",
    breaks: "no user holds two vehicles",
    shownBy: quoted
      .do("errand.check", { as: "dinner" })
      .do("errand.reserve", { for: "lunch" })
      .do("errand.reserve", { for: "dinner" }),
    options: {
      program: rewritten(
        "courier-order@1",
        courierOrder,
        ["states", "open", "states", "held", "on", "hold.released"],
        "held",
      ),
    },
  },
  {
    says: "a cancel keeps what was authorized",
    breaks: "whatever an errand paid that ends before its collection goes back",
    shownBy: quoted
      .do("errand.reserve", { for: "lunch", with: { token: "spt_ok" } })
      .do("errand.cancel", { for: "lunch" }),
    options: {
      program: planted(
        "courier-order@1",
        courierOrder.provide({ actions: { "let the payment go": assign({}) } }),
      ),
    },
  },
  {
    says: "an authorization counts as released without a request to the processor",
    breaks: "the processor keeps one fee of a booked errand and none of any other",
    shownBy: quoted
      .do("errand.reserve", { for: "lunch", with: { token: "spt_ok" } })
      .do("errand.cancel", { for: "lunch" }),
    options: {
      program: rewritten(
        "courier-payment@1",
        courierPayment,
        ["states", "authorized", "on", "release.requested"],
        "voided",
      ),
    },
  },
]
