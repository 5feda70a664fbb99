/**
 * The contracts on the live host over embedded PGlite. Each body of a transaction runs twice, the first time for nothing, as it
 * does after it lost against another: an effect outside its transaction shows.
 */

import { liveContracts } from "./live-contracts.ts"
import { layerCopiedPglite } from "../store/embedded-template.ts"

liveContracts("PGlite", async () => layerCopiedPglite, { rehearses: true })
