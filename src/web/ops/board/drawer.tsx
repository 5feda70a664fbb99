/** One thing of the board beside it: a reservation, a vehicle, or the vehicle of a delivery. On a phone it is a page. */

import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { InspectorLink } from "./drawer-parts.tsx"
import type { DrawerProps } from "./drawer-parts.tsx"
import { ReservationDrawer } from "./reservation-drawer.tsx"
import { VehicleDrawer } from "./vehicle-drawer.tsx"

export function BoardDrawer(props: DrawerProps): JSX.Element {
  const { opened, board, onClose } = props
  if (opened.kind === "reservation") return <ReservationDrawer id={opened.id} {...props} />
  const vehicle = board.vehicles.find(({ vehicle_id, run }) =>
    opened.kind === "vehicle" ? vehicle_id === opened.id : run?.delivery_id === opened.id,
  )
  if (vehicle !== undefined) return <VehicleDrawer vehicle={vehicle} {...props} />
  return (
    <Drawer title={opened.kind === "vehicle" ? "A vehicle" : "A delivery"} onClose={onClose}>
      <Empty
        title={opened.kind === "vehicle" ? "Not in the fleet of this site" : "No vehicle carries it now"}
        action={<Button onPress={onClose}>Back to the board</Button>}
      >
        {opened.kind === "vehicle"
          ? "The vehicle may have moved to another fleet."
          : "It waits behind another run, or it has ended."}
      </Empty>
      <InspectorLink group={`${opened.kind}/${opened.id}`} />
    </Drawer>
  )
}
