/** A thread that makes and caches everything that the service's pages need. Runs beside the service. */

import { SERVICE_PAGES, pageBundle } from "./build.ts"
import { programPictures } from "./chart-pictures.ts"

for (const page of SERVICE_PAGES) await pageBundle(page)
await programPictures()
