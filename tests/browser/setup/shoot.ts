import type { Page } from 'playwright-core';

/** Takes a picture of the whole page into the folder that SHOTS names; without SHOTS none is taken. */
export const shoot = async (page: Page, name: string): Promise<void> => {
  if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/${name}.png`, fullPage: true });
};

/** The same at the widths of desks, of a tablet and of a phone. */
export const shootWidths = async (page: Page, name: string): Promise<void> => {
  const before = page.viewportSize();
  for (const width of [1440, 1280, 768, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await shoot(page, `${name}-${width}`);
  }
  if (before) await page.setViewportSize(before);
};

/** The same in both colour schemes. The page is light afterwards. */
export const shootSchemes = async (page: Page, name: string): Promise<void> => {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await shootWidths(page, `${name}-${colorScheme}`);
  }
};
