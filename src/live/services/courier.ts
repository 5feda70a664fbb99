/** The courier connector over the live service. Linking provides `LinkedUsers`. */

import { Layer } from "effect"
import { CourierCheckout } from "../../areas/courier/checkout.ts"
import { CourierOperations } from "../../areas/courier/courier-operations.ts"
import { Courier } from "../../areas/courier/courier.ts"
import { Tracking } from "../../areas/tracking/tracking.ts"
import { layerRateCounter } from "../../http/access/store/access-rows.ts"

/** The six tools, the services behind their link pages, and those for operations. */
export const layerCourierServices = Layer.mergeAll(
  Courier.layer.pipe(Layer.provide(layerRateCounter)),
  CourierCheckout.layer,
  CourierOperations.layer,
  Tracking.layer,
)
