/** The connector's pages on a real port, over a checkout and a tracking that tests set by hand. */

import { Context, Runtime } from "effect"
import type { AddressInfo } from "node:net"
import { bridgeTo } from "../../src/http/bridge.ts"
import { courierPagesPlugin } from "../../src/areas/courier/http/plugin.ts"
import type { CourierPagesSurface } from "../../src/areas/courier/http/plugin.ts"
import type { EpochMs } from "../../src/model/values/time.ts"
import { CourierCheckout } from "../../src/areas/courier/checkout.ts"
import type { CheckoutResult, CheckoutView } from "../../src/areas/courier/checkout.ts"
import { bareApp } from "../http/bare-app.ts"
import { Routine } from "../../src/engine/services/routine.ts"

const NOON: EpochMs = Date.parse("2026-03-02T18:00:00Z")

export interface Pages {
  readonly origin: string
  checkout: CheckoutView
  /** What the processor answers, by instrument; what it does not know is paid. */
  results: Readonly<Record<string, CheckoutResult>>
  readonly paid: string[]
  isBroken: boolean
  readonly close: () => Promise<void>
}

export const OPEN: Extract<CheckoutView, { type: "open" }> = {
  type: "open",
  retailerName: "Lunchbox & <Sons>",
  amountCents: 495,
  currency: "usd",
  expiresAtMs: NOON + 35 * 60_000,
}

export const PAID: Extract<CheckoutView, { type: "paid" }> = {
  type: "paid",
  retailerName: OPEN.retailerName,
  amountCents: 495,
  currency: "usd",
}

export const UNCLEAR: Extract<CheckoutView, { type: "unclear" }> = { ...PAID, type: "unclear" }

export async function openPages(): Promise<Pages> {
  const app = await bareApp({ environment: "production" })
  const pages: Pages = {
    origin: "",
    checkout: OPEN,
    results: {},
    paid: [],
    isBroken: false,
    close: () => app.close(),
  }
  await app.register(courierPagesPlugin, { run: bridgeTo(runtimeOf(pages)) })
  await app.listen({ host: "127.0.0.1", port: 0 })
  return Object.assign(pages, { origin: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` })
}

function runtimeOf(pages: Pages): Runtime.Runtime<CourierPagesSurface> {
  const context = Context.make(CourierCheckout, {
    view: () =>
      Routine.sync(() => {
        if (pages.isBroken) throw new Error("secret of the inside")
        return pages.checkout
      }),
    pay: (_, instrument) =>
      Routine.sync(() => {
        pages.paid.push(instrument)
        const result = pages.results[instrument] ?? PAID
        if (result.type === "paid") pages.checkout = PAID
        return result
      }),
  })
  return Runtime.updateContext(Runtime.defaultRuntime, () => context)
}
