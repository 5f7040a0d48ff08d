import type { Page } from '../page.ts';
import type { Kind } from '../api/wire.ts';
import { capital, linkTo, NAMES, titleOf } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

/** Undoes a deletion: the record and all that went with it are back, under their ids. */
export const restoreRecord = async <K extends Kind>(page: Page, kind: K, id: string | number): Promise<void> => {
  const answer = await page.api.records.act(kind, id, 'restore');
  if (!answer.ok) {
    const [fault] = answer.problem.errors;
    return page.toast(`${answer.problem.detail} ${fault ? `${capital(fault.detail)}.` : ''}`, { tone: 'bad' });
  }
  await page.store.refresh();
  page.redraw();
  page.toast(t`${capital(NAMES[kind].one)} “${titleOf(kind, answer.value)}” is restored.`, {
    action: { label: t`Open it`, run: () => page.go(linkTo(kind, answer.value.id)) },
  });
};
