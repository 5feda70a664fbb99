/** A thread's work: everything that the inspector's page is made of, made and kept. Run beside the service. */

import { chartOf } from "../chart/document.ts"
import { registeredMachines } from "../chart/registered-machine.ts"
import { pageBundle } from "./build.ts"
import { pictureOf } from "./chart-pictures.ts"

await pageBundle("inspector")
for (const { id, machine } of registeredMachines()) await pictureOf(chartOf(id, machine))
