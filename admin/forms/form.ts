import type { Page } from '../page.ts';
import type { Answer, Fault, Problem } from '../service/wire.ts';
import { isWithin, readAt, stepsOf, writtenAt } from './pointer.ts';

/** What a form holds between the record and the screen: numbers as the text that was typed, so that nothing typed is lost. */
export type Draft = Readonly<Record<string, unknown>>;

export interface Form {
  /** Pointers are the record's own: `/targeting/countries`. */
  read(pointer: string): unknown;
  write(pointer: string, value: unknown): void;
  /** What is wrong at a field, or below it. */
  faultsAt(pointer: string): readonly string[];
  faults(): readonly Fault[];
  problem(): Problem | undefined;
  isSaving(): boolean;
  hasChanges(): boolean;
  draft(): Draft;
  submit(): Promise<void>;
}

export interface FormOptions<T> {
  readonly page: Page;
  readonly draft: Draft;
  /** Makes the text of a fault readable for the person at the form. */
  readonly inWords?: (detail: string) => string;
  readonly save: (draft: Draft) => Promise<Answer<T>>;
  readonly onSaved: (value: T) => void | Promise<void>;
}

export const createForm = <T>({ page, draft: initial, inWords = (detail) => detail, save, onSaved }: FormOptions<T>): Form => {
  let draft = initial;
  let faults: readonly Fault[] = [];
  let problem: Problem | undefined;
  let saving = false;

  return {
    read: (pointer) => readAt(draft, pointer),
    write: (pointer, value) => {
      draft = writtenAt(draft, pointer, value);
      faults = faults.filter((fault) => !isWithin(fault.pointer, pointer) && !isWithin(pointer, fault.pointer));
      page.redraw();
    },
    faultsAt: (pointer) => faults.filter((fault) => isWithin(fault.pointer, pointer)).map((fault) => spelled(fault, pointer)),
    faults: () => faults,
    problem: () => problem,
    isSaving: () => saving,
    hasChanges: () => JSON.stringify(draft) !== JSON.stringify(initial),
    draft: () => draft,
    submit: async () => {
      if (saving) return;
      saving = true;
      page.redraw();
      const answer = await save(draft);
      saving = false;
      faults = answer.ok ? [] : answer.problem.errors.map((fault) => ({ ...fault, detail: inWords(fault.detail) }));
      problem = answer.ok ? undefined : answer.problem;
      if (answer.ok) await onSaved(answer.value);
      page.redraw();
      if (!answer.ok) requestAnimationFrame(focusFirstFault);
    },
  };
};

/** A fault below a field says which value it means, when that is more than a place in a list. */
const spelled = ({ pointer, detail }: Fault, field: string): string => {
  const below = stepsOf(pointer.slice(field.length)).filter((step) => !/^\d+$/.test(step));
  return below.length > 0 ? `${below.join(' ')} ${detail}` : detail;
};

const focusFirstFault = (): void => {
  const first = document.querySelector<HTMLElement>('[aria-invalid="true"]') ?? document.querySelector<HTMLElement>('.faults');
  first?.focus();
  first?.scrollIntoView({ block: 'center' });
};
