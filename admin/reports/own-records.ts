import type { Page } from '../page.ts';
import { showWebhookSecret } from '../parts/dialogs.ts';
import type { Answer, Problem } from '../api/wire.ts';
import { t } from '../words/texts.ts';

export interface OwnRecordsOptions<R, D> {
  readonly page: Page;
  readonly list: () => Promise<Answer<readonly R[]>>;
  /** Stores what the form holds: a new record, or in place of the one that it was made from. */
  readonly save: (draft: D) => Promise<Answer<R>>;
  readonly drop: (id: number) => Promise<Answer<undefined>>;
  /** The message after a record was stored. */
  readonly storedWords: (record: R) => string;
  /** The header in which the receiver of a webhook finds the signature; its secret is shown once. */
  readonly signatureHeader: string;
}

/** Records that are listed and edited on a screen of another thing, with the form of one of them. */
export interface OwnRecords<R, D> {
  readonly all: () => readonly R[];
  /** undefined: the form is closed. */
  readonly draft: () => D | undefined;
  /** Why the draft was not stored. */
  readonly problem: () => Problem | undefined;
  load(): Promise<void>;
  /** Opens the form, or closes it. */
  edit(draft: D | undefined): void;
  write(change: Partial<D>): void;
  store(event: Event): Promise<void>;
  remove(record: R, question: { readonly title: string; readonly text: string }): Promise<void>;
}

export const createOwnRecords = <
  R extends { readonly id: number; readonly webhook_secret?: string },
  D extends { readonly id: number | undefined },
>({
  page,
  list,
  save,
  drop,
  storedWords,
  signatureHeader,
}: OwnRecordsOptions<R, D>): OwnRecords<R, D> => {
  let records: readonly R[] = [];
  let problem: Problem | undefined;
  let draft: D | undefined;

  const load = async (): Promise<void> => {
    const answer = await list();
    if (answer.ok) records = answer.value;
    else page.complain(answer.problem);
    page.redraw();
  };
  const edit = (next: D | undefined): void => {
    draft = next;
    problem = undefined;
    page.redraw();
    if (next) queueMicrotask(() => document.querySelector<HTMLElement>('.save-report input')?.focus());
  };
  return {
    all: () => records,
    draft: () => draft,
    problem: () => problem,
    load,
    edit,
    write: (change) => {
      draft = draft && { ...draft, ...change };
      page.redraw();
    },
    store: async (event) => {
      event.preventDefault();
      if (!draft) return;
      const answer = await save(draft);
      if (!answer.ok) {
        problem = answer.problem;
        return page.redraw();
      }
      const { value: record } = answer;
      edit(undefined);
      page.toast(storedWords(record), { tone: 'good' });
      if (record.webhook_secret !== undefined) await showWebhookSecret(record.webhook_secret, signatureHeader);
      await load();
    },
    remove: async ({ id }, question) => {
      if (!(await page.confirm({ ...question, yes: t`Delete`, dangerous: true }))) return;
      const answer = await drop(id);
      if (!answer.ok) return page.complain(answer.problem);
      await load();
    },
  };
};
