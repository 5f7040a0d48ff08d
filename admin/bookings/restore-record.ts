import type { Page } from '../page.ts';
import type { Kind } from '../api/wire.ts';
import { capital, linkTo, NAMES, titleOf } from '../words/kinds.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether a deleted record can be made again from what History keeps: not when others were deleted
 * with it, and not a publisher, whose API key is gone.
 */
export const isRestorable = (kind: Kind, deletedWithIt: unknown): boolean => deletedWithIt === undefined && kind !== 'publishers';

/** Makes a deleted record again, under a new id unless its id was chosen by a person. */
export const restoreRecord = async <K extends Kind>(page: Page, kind: K, before: Fields): Promise<void> => {
  const answer = await page.api.records.create(kind, before);
  if (!answer.ok) {
    const [fault] = answer.problem.errors;
    return page.toast(`It cannot be restored. ${fault ? `${fault.pointer.slice(1)} ${fault.detail}` : answer.problem.detail}`, {
      tone: 'bad',
    });
  }
  await page.store.refresh(kind);
  page.redraw();
  page.toast(`${capital(NAMES[kind].one)} “${titleOf(kind, answer.value)}” is restored.`, {
    action: { label: 'Open it', run: () => page.go(linkTo(kind, answer.value.id)) },
  });
};
