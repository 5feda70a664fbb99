/** Where a drawn part of a plan is: in no file. */

import type { Place } from "../scenario/language/language.ts"

export const NOWHERE: Place = { file: "swarm.yaml", line: 1, column: 1 }
