import type { Page } from 'playwright-core';

/** The folder for pictures; without it none is taken. */
const FOLDER = process.env['SHOTS'];

/** Takes a picture of the whole page into the folder that SHOTS names. */
export const shoot = async (page: Page, name: string): Promise<void> => {
  if (FOLDER) await page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage: true });
};

/** The same at the widths of desks, of a tablet and of a phone. */
export const shootWidths = async (page: Page, name: string): Promise<void> => {
  if (!FOLDER) return;
  const before = page.viewportSize();
  for (const width of [1440, 1280, 768, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await shoot(page, `${name}-${width}`);
  }
  if (before) await page.setViewportSize(before);
};

/** The same in both colour schemes. The page is light afterwards. */
export const shootSchemes = async (page: Page, name: string): Promise<void> => {
  if (!FOLDER) return;
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await shootWidths(page, `${name}-${colorScheme}`);
  }
};
