import type { Page } from '../../page.ts';
import type { Fault } from '../../../src/base/fault.ts';
import type { Answer, Problem } from '../../api/wire.ts';
import { isWithin, readAt, writtenAt } from './pointer.ts';

/** The state of a form. Numbers are kept as typed, so that no typing is lost. */
export type Draft = Readonly<Record<string, unknown>>;

/** What fields read and write. */
export interface Form {
  /** Pointers are the record's own: `/targeting/countries`. */
  read(pointer: string): unknown;
  write(pointer: string, value: unknown): void;
  /** The faults of a field and of everything below it. */
  faultsAt(pointer: string): readonly string[];
}

/** A form that is saved as a whole. */
export interface SavedForm extends Form {
  faults(): readonly Fault[];
  problem(): Problem | undefined;
  isSaving(): boolean;
  hasChanges(): boolean;
  draft(): Draft;
  /** Why it is changed, for the history; '': not said. */
  note(): string;
  writeNote(note: string): void;
  /** @param event of the form, which the browser does not send itself */
  submit(event?: Event): Promise<void>;
}

export interface FormOptions<T> {
  readonly page: Page;
  readonly draft: Draft;
  /** The draft with a value, and with what follows from it. */
  readonly written?: (draft: Draft, pointer: string, value: unknown) => Draft;
  /** A fault of the draft as a sentence for the person at the form. */
  readonly inWords?: (fault: Fault, draft: Draft) => string;
  /** @param note undefined: there is none */
  readonly save: (draft: Draft, note: string | undefined) => Promise<Answer<T>>;
  readonly onSaved: (value: T) => void | Promise<void>;
}

export const createForm = <T>({
  page,
  draft: initial,
  written = writtenAt,
  inWords = ({ detail }) => detail,
  save,
  onSaved,
}: FormOptions<T>): SavedForm => {
  let draft = initial;
  let note = '';
  let faults: readonly Fault[] = [];
  let problem: Problem | undefined;
  let saving = false;

  return {
    read: (pointer) => readAt(draft, pointer),
    write: (pointer, value) => {
      draft = written(draft, pointer, value);
      faults = faults.filter((fault) => !isWithin(fault.pointer, pointer) && !isWithin(pointer, fault.pointer));
      page.redraw();
    },
    faultsAt: (pointer) => faults.filter((fault) => isWithin(fault.pointer, pointer)).map(({ detail }) => detail),
    faults: () => faults,
    problem: () => problem,
    isSaving: () => saving,
    hasChanges: () => JSON.stringify(draft) !== JSON.stringify(initial),
    draft: () => draft,
    note: () => note,
    writeNote: (typed) => {
      note = typed;
    },
    submit: async (event) => {
      event?.preventDefault();
      if (saving) return;
      saving = true;
      page.redraw();
      const answer = await save(draft, note.trim() === '' ? undefined : note.trim());
      saving = false;
      faults = answer.ok ? [] : answer.problem.errors.map((fault) => ({ ...fault, detail: inWords(fault, draft) }));
      problem = answer.ok ? undefined : answer.problem;
      if (answer.ok) await onSaved(answer.value);
      page.redraw();
      if (!answer.ok) requestAnimationFrame(focusFirstFault);
    },
  };
};

/** A summary that offers a way out comes before the field at fault. */
const focusFirstFault = (): void => {
  const first = ['.conflict', '.faults:has(button)', '[aria-invalid="true"]', '.faults']
    .map((selector) => document.querySelector<HTMLElement>(selector))
    .find((element) => element);
  first?.focus();
  first?.scrollIntoView({ block: 'center' });
};
