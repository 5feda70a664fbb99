/** Opens a record from the user's disk in the page: by a button, or by drag and drop. */

import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"

interface OpenRecordProps {
  readonly onFile: (file: File) => void
}

export function OpenRecord({ onFile }: OpenRecordProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        Open a record
      </button>
      <input
        type="file"
        hidden
        aria-label="Record"
        ref={input}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          // Reset, so that the same file can be chosen again after it has changed.
          if (file !== undefined) onFile(file)
          event.currentTarget.value = ""
        }}
      />
    </>
  )
}

export function useDroppedFile(onFile: (file: File) => void): void {
  const latest = useRef(onFile)
  latest.current = onFile
  useEffect(() => {
    // Text that is dragged into a field is not handled here.
    const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true
    // Without this the browser would navigate to the file.
    const onOver = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault()
    }
    const onDrop = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      const [file] = event.dataTransfer?.files ?? []
      if (file !== undefined) latest.current(file)
    }
    addEventListener("dragover", onOver)
    addEventListener("drop", onDrop)
    return () => {
      removeEventListener("dragover", onOver)
      removeEventListener("drop", onDrop)
    }
  }, [])
}
