/** A thread's work: everything that the inspector's page is made of, made and kept. Run beside the service. */

import { pageBundle } from "./build.ts"
import { programPictures } from "./chart-pictures.ts"

await pageBundle("inspector")
await programPictures()
