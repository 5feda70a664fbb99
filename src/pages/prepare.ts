/** A thread that makes and caches everything that the inspector's page needs. Runs beside the service. */

import { pageBundle } from "./build.ts"
import { programPictures } from "./chart-pictures.ts"

await pageBundle("inspector")
await programPictures()
