/** The program of the service: the registry of machines together with the decision functions. */

import { machines } from "../../../machines/index.ts"
import type { Program } from "../../engine/kernel/program.ts"
import { decisions } from "./areas.ts"

export const program: Program = { machines, decisions }
