/** The contracts on the live host over embedded PGlite. */

import { layerPglite } from "../../src/store/database.ts"
import { liveContracts } from "./live-contracts.ts"

liveContracts("PGlite", async () => layerPglite("memory"))
