import type { Page } from '../page.ts';
import type { Answer } from './wire.ts';

/** Saves a file of the API, or shows why there is none. */
export const saveFile = async (page: Page, file: Promise<Answer<Blob>>, name: string): Promise<void> => {
  const answer = await file;
  if (!answer.ok) return page.complain(answer.problem);
  const url = URL.createObjectURL(answer.value);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
