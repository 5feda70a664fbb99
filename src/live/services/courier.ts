/** The courier connector over the live service. Linking provides `LinkedUsers`. */

import { Layer } from "effect"
import { layerCourierCheckout } from "../../areas/courier/checkout.ts"
import { layerCourierOperations } from "../../areas/courier/courier-operations.ts"
import { layerCourier } from "../../areas/courier/courier.ts"
import { layerTracking } from "../../areas/tracking/tracking.ts"
import { layerRateCounter } from "../../http/access/store/access-rows.ts"

/** The six tools, the services behind their link pages, and those for operations. */
export const layerCourierServices = Layer.mergeAll(
  layerCourier.pipe(Layer.provide(layerRateCounter)),
  layerCourierCheckout,
  layerCourierOperations,
  layerTracking,
)
