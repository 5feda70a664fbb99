/**
 * The contracts on the live host over embedded PGlite. Each body of a transaction runs twice and the first run is
 * rolled back, as after a conflict, so that an effect outside the transaction is detected.
 */

import { liveContracts } from "./live-contracts.ts"
import { layerCopiedPglite } from "../engine/store/embedded-template.ts"

liveContracts("PGlite", async () => layerCopiedPglite, { rehearses: true })
