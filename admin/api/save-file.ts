import type { Page } from '../page.ts';

/** Saves the answer of a path of the API as a file, or shows why there is none. */
export const saveFile = async (page: Page, path: string, name: string): Promise<void> => {
  const answer = await page.api.file(path);
  if (!answer.ok) return page.complain(answer.problem);
  const url = URL.createObjectURL(answer.value);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
