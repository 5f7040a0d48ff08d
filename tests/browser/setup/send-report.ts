import type { Page } from 'playwright-core';

/** In the open report dialog: gives this reason and sees the thanks. */
export const sendReport = async (page: Page, reason: string): Promise<void> => {
  await page.getByLabel(reason).check();
  await page.getByRole('button', { name: 'Send report' }).click();
  await page.getByText('Thank you').waitFor();
};
