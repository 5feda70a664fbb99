/** The bar that names the environment, above every page of operations. */

import type { JSX } from "preact"
import type { Environment } from "./session.ts"

export function EnvironmentBar({ environment }: { readonly environment: Environment }): JSX.Element {
  return (
    <div class={`environment ${environment}`} role="region" aria-label="Environment">
      <span class="badge">{environment.toUpperCase()}</span>
      <span class="about">
        {environment === "sandbox" ? "Nothing is charged, no text leaves" : "Real robots, real customers"}
      </span>
    </div>
  )
}
