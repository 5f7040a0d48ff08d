import type { Locator } from 'playwright-core';
import { eventually } from '../../../testkit/until.ts';

/** Resolves when the browser has loaded an image. */
export const untilDrawn = (image: Locator): Promise<void> =>
  eventually(async () => expect(await image.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBeGreaterThan(0));
