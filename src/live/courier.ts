/** The courier connector over the live service. Linking provides `LinkedUsers`. */

import { Layer } from "effect"
import { layerCourierCheckout } from "../services/courier/checkout.ts"
import { layerCourierOperations } from "../services/courier/courier-operations.ts"
import { layerCourier } from "../services/courier/courier.ts"
import { layerCourierTracking } from "../services/courier/tracking.ts"
import { layerRateCounter } from "../store/access-rows.ts"

/** The six tools, the services behind their link pages, and those for operations. */
export const layerCourierServices = Layer.mergeAll(
  layerCourier.pipe(Layer.provide(layerRateCounter)),
  layerCourierCheckout,
  layerCourierOperations,
  layerCourierTracking,
)
