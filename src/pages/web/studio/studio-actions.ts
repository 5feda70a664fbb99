/** The state of the scenarios' part of the page, and what its buttons do. */

import { useEffect, useMemo } from "preact/hooks"
import { pathInAddress } from "./area.ts"
import type { Client } from "./client.ts"
import { takeDiskChanges } from "./disk-changes.ts"
import { checkText, makeChange, noteText, putText, readForm, undo } from "./file-text.ts"
import type { FileForm } from "./form/form-contract.ts"
import { FormShapes } from "./form/form-changes.ts"
import { isCourseMissing, run, runAll, trySeeds } from "./runs.ts"
import { useStore } from "./store.ts"
import { NOTHING, faced } from "./studio-state.ts"
import type { StudioActions, StudioState, StudioStore } from "./studio-state.ts"
import { create, openFile, removedFile, renamedFile, save } from "./whole-file.ts"

export function useStudio(client: Client): readonly [StudioState, StudioActions] {
  const [state, store] = useStore(NOTHING)
  const actions = useMemo(() => {
    const kept: StudioStore = {
      ...store,
      client,
      drafts: new Map(),
      lastByPath: new Map(),
      inMemoryByPath: new Map(),
      opening: null,
      reading: null,
      writing: Promise.resolve(null),
      askedAgain: null,
      editing: Promise.resolve(null),
      read: null,
      shapes: new FormShapes(),
      stopping: null,
      stoppingAll: null,
      stoppingSeeds: null,
      charts: null,
    }
    return actionsOf(kept)
  }, [client, store])
  useEffect(() => void actions.begin(), [actions])
  useEffect(() => {
    const asks = (event: BeforeUnloadEvent): void => {
      if (store.get().unsaved.size > 0) event.preventDefault()
    }
    window.addEventListener("beforeunload", asks)
    return () => window.removeEventListener("beforeunload", asks)
  }, [store])
  return [state, actions]
}

export function actionsOf(store: StudioStore): StudioActions & { readonly begin: () => Promise<void> } {
  const { get, set, drafts, client } = store
  const open = (path: string): Promise<void> =>
    faced(store, async () => {
      await openFile(store, path)
      if (isCourseMissing(get())) await run(store)
    })
  return {
    begin: async () => {
      await faced(store, async () => {
        const listing = await client.list()
        set({ listing })
        const wanted = pathInAddress("file")
        const first = listing.files.find(({ path }) => path === wanted) ?? listing.files[0]
        if (first !== undefined) await openFile(store, first.path)
        set({ isOpening: false, words: await client.words() })
      })
      set({ isOpening: false })
    },
    open,
    type: (text) => {
      if (text !== get().text) set({ undoable: [] })
      noteText(store, text)
    },
    check: (text) => checkText(store, text),
    replaceText: (text) => putText(store, text),
    readForm: async (path, text) => {
      let form: FileForm | null | undefined
      await faced(store, async () => {
        form = await readForm(store, path, text)
      })
      return form
    },
    edit: (change) => {
      store.editing = store.editing.then(() => makeChange(store, change))
      return store.editing
    },
    undo: () => undo(store),
    saveAndRun: async () => {
      // The user means the file that was chosen last, also while it is still being read.
      if ((await store.reading) === false) return
      const path = get().file?.path
      await store.editing
      const { file, text } = get()
      if (file === null || file.path !== path) return
      if (file.isTypeScript || text === file.text) await faced(store, () => run(store))
      else await faced(store, () => save(store, file.version))
    },
    saveOver: () => {
      const { conflict, file } = get()
      const version = conflict === null ? file?.version : conflict.current?.version
      return faced(store, () => save(store, version ?? null))
    },
    loadAgain: async () => {
      const { file } = get()
      if (file === null) return
      drafts.delete(file.path)
      set({ unsaved: new Set(drafts.keys()) })
      await open(file.path)
    },
    runOn: (where) => set({ runsOn: where }),
    stop: () => store.stopping?.abort(),
    runAll: () => faced(store, () => runAll(store)),
    stopAll: () => store.stoppingAll?.abort(),
    trySeeds: () => faced(store, () => trySeeds(store)),
    stopSeeds: () => store.stoppingSeeds?.abort(),
    runWithSeed: (seed) => (get().isRunning ? Promise.resolve() : faced(store, () => run(store, seed))),
    ...folderActions(store),
  }
}

function folderActions(
  store: StudioStore,
): Pick<StudioActions, "create" | "refresh" | "remove" | "rename" | "takeDiskChanges"> {
  // A run against a service is begun by a person.
  const runAgain = (): Promise<void> => (store.get().runsOn === "memory" ? run(store) : Promise.resolve())
  return {
    create: (path, text) => create(store, path, text),
    refresh: () => faced(store, async () => store.set({ listing: await store.client.list() })),
    takeDiskChanges: () => faced(store, () => takeDiskChanges(store, runAgain)),
    rename: (to) => renamedFile(store, to),
    remove: () => removedFile(store, runAgain),
  }
}
