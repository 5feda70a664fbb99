/** How the run stands, in a pill: what is computed, or how many were late. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { Icon } from "../design/icon.tsx"
import { Pill } from "../design/pill.tsx"
import { wasLate } from "./seen/orders.ts"
import type { Scene } from "./seen/scene.ts"
import type { RunStatus } from "./session.ts"

export function StandingPill({
  scene,
  status,
}: {
  readonly scene: Scene | null
  readonly status: RunStatus
}): JSX.Element {
  const late = useMemo(
    () => [...(scene?.orders().values() ?? [])].filter((seen) => wasLate(seen, scene?.untilMs ?? 0)).length,
    [scene, status.is],
  )
  if (status.is === "computing" || status.is === "opening")
    return (
      <span class="pill move">
        <span class="spinner">
          <Icon name="loader" />
        </span>{" "}
        Computing
      </span>
    )
  if (status.is === "failed")
    return (
      <Pill tone="bad" icon="triangle-alert">
        Failed
      </Pill>
    )
  if (status.is === "stopped")
    return (
      <Pill tone="wait" icon="clock">
        Stopped
      </Pill>
    )
  const orders = scene?.orders().size ?? 0
  return late === 0 ? (
    <Pill tone="ok" icon="check">
      {orders === 0 ? "No orders" : `All ${orders} in time`}
    </Pill>
  ) : (
    <Pill tone="bad" icon="cross">
      {late} of {orders} late
    </Pill>
  )
}
