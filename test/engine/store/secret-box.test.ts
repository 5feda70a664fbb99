import { Effect } from "effect"
import { expect, test } from "vitest"
import { SecretBox, layerSecretBox } from "../../../src/engine/store/secret-box.ts"

const SECRET = `whsec_${"0123456789ab".repeat(4)}`

function box(key: string): SecretBox["Type"] {
  return Effect.runSync(Effect.provide(SecretBox, layerSecretBox(key)))
}

test("what is sealed opens under the same key, and shows nothing of itself", () => {
  const sealed = box("key").seal(SECRET)
  expect(sealed).not.toContain("whsec")
  expect(Buffer.from(sealed, "base64").toString("latin1")).not.toContain("0123456789ab")
  expect(box("key").open(sealed)).toBe(SECRET)
})

test("the same secret is sealed differently every time", () => {
  expect(box("key").seal(SECRET)).not.toBe(box("key").seal(SECRET))
})

test("another key, or one changed bit, opens nothing", () => {
  const sealed = box("key").seal(SECRET)
  expect(() => box("other").open(sealed)).toThrow(/unable to authenticate/)
  const bytes = Buffer.from(sealed, "base64")
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
  expect(() => box("key").open(bytes.toString("base64"))).toThrow(/unable to authenticate/)
})
