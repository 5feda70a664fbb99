/** Files and paths of this machine for the data folder. A command loads no other part of the platform. */

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import type { FileSystem } from "@effect/platform/FileSystem"
import type { Path } from "@effect/platform/Path"
import { Layer } from "effect"

export type LocalFiles = FileSystem | Path

export const layerLocalFiles: Layer.Layer<LocalFiles> = Layer.merge(NodeFileSystem.layer, NodePath.layer)

/** Node's own error inside one of the platform, for messages and for checks of its code; any other cause unchanged. */
export function nodeErrorOf(cause: unknown): unknown {
  return cause instanceof Error && "_tag" in cause && cause._tag === "SystemError"
    ? (cause.cause ?? cause)
    : cause
}
