/**
 * The contracts on the live host over embedded PGlite. Each body of a transaction runs twice, the first time for nothing, as it
 * does after it lost against another: an effect outside its transaction shows.
 */

import { layerPglite } from "../../src/store/database.ts"
import { liveContracts } from "./live-contracts.ts"

liveContracts("PGlite", async () => layerPglite("memory"), { rehearses: true })
