/** The span of the current request: set by the hooks of `tracing.ts`, read by the bridge. */

import { AsyncLocalStorage } from "node:async_hooks"
import type { TraceSpan } from "../engine/services/tracing.ts"

/** Empty when requests are not traced. */
export const requestSpans = new AsyncLocalStorage<TraceSpan>()
