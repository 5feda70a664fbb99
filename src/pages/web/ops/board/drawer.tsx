/** One thing of the board beside it: a reservation, a delivery or a vehicle. On a phone it is a page. */

import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { Drawer } from "../../design/overlay.tsx"
import { DeliveryDrawer } from "./delivery-drawer.tsx"
import { InspectorLink } from "./drawer-parts.tsx"
import type { DrawerProps } from "./drawer-parts.tsx"
import { ReservationDrawer } from "./reservation-drawer.tsx"
import { VehicleDrawer } from "./vehicle-drawer.tsx"

export function BoardDrawer(props: DrawerProps): JSX.Element {
  const { opened, board, onClose } = props
  if (opened.kind === "reservation") return <ReservationDrawer id={opened.id} {...props} />
  if (opened.kind === "delivery") return <DeliveryDrawer id={opened.id} {...props} />
  const vehicle = board.vehicles.find(({ vehicle_id }) => vehicle_id === opened.id)
  if (vehicle !== undefined) return <VehicleDrawer vehicle={vehicle} {...props} />
  return (
    <Drawer title="A vehicle" onClose={onClose}>
      <Empty
        title="Not in the fleet of this site"
        action={<Button onPress={onClose}>Back to the board</Button>}
      >
        The vehicle may have moved to another fleet.
      </Empty>
      <InspectorLink group={`vehicle/${opened.id}`} />
    </Drawer>
  )
}
