import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

declare const axe: { run: (context: object, options: object) => Promise<AxeResults> };

const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');

/** For `violationsOf`: once for each document. */
export const loadAxe = (page: Page) => page.evaluate(AXE);

/** What the page draws next is drawn: what follows the size of its box, as a preview does, has followed. */
const drawn = (page: Page) =>
  page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));

/** By how much the document is wider than its window, and the outermost elements that are to blame. */
export const beyondOf = async (page: Page) => {
  await drawn(page);
  return page.evaluate(() => {
    const px = document.documentElement.scrollWidth - innerWidth;
    if (px <= 0) return [];
    const isBeyond = (element: Element): boolean => element.getBoundingClientRect().right > innerWidth + 0.5;
    const outermost = [...document.querySelectorAll('body *')].filter((each) => isBeyond(each) && !isBeyond(each.parentElement!));
    return [`${px} px`, ...outermost.slice(0, 5).map(({ outerHTML }) => outerHTML.slice(0, 300))];
  });
};

/** Serious violations of the page as it is, by all rules or by the two that read colours. */
export const violationsOf = async (page: Page, rules: 'all' | 'colours' = 'all') => {
  await drawn(page);
  return page.evaluate(async (chosen) => {
    // Colours that are still on their way to others are nobody's.
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
    const only = chosen === 'colours' ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {};
    const { violations } = await axe.run({ exclude: ['iframe'] }, { iframes: false, resultTypes: ['violations'], ...only });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html}`));
  }, rules);
};

/** The controls that are not wholly within the window. */
export const outsideOf = async (page: Page) => {
  await drawn(page);
  return page.evaluate(() => {
    const scrolls = (element: Element): boolean =>
      element !== document.body && /auto|scroll|hidden/.test(getComputedStyle(element).overflowX)
        ? true
        : element.parentElement !== null && scrolls(element.parentElement);
    const isOutside = (control: Element): boolean => {
      const { left, right, width } = control.getBoundingClientRect();
      return width > 0 && control.checkVisibility() && (left < -0.5 || right > innerWidth + 0.5) && !scrolls(control);
    };
    const controls = [...document.querySelectorAll('body :is(a, button, input, select, textarea, summary):not(.unseen)')];
    return controls.filter(isOutside).map(({ outerHTML }) => outerHTML.slice(0, 120));
  });
};

/** What is wrong with a page on a desk in light colours, and on a phone in dark ones. The page is as before afterwards. */
export const looksWrong = async (page: Page): Promise<object[]> => {
  const before = page.viewportSize();
  await loadAxe(page);
  const found: object[] = [];
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1280, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    const faults = [...(await violationsOf(page)), ...(await beyondOf(page)), ...(await outsideOf(page))];
    if (faults.length > 0) found.push({ width, colorScheme, faults });
  }
  if (before) await page.setViewportSize(before);
  return found;
};
