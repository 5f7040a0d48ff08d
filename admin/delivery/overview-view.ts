import { html, nothing, type TemplateResult } from 'lit-html';
import type { Attention } from '../../src/delivery/attention/attention.ts';
import type { Page, View } from '../page.ts';
import { pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { createHomeFigures } from './home-figures.ts';
import { firstRun, isFirstRun } from './first-run.ts';
import { endedCard, healthLine, statusCounts } from './attention-cards.ts';
import { attentionCard } from './attention-list.ts';
import { listenToHomeKeys } from './home-keys.ts';
import { createRowRemedies } from './row-remedies.ts';
import { t } from '../words/texts.ts';

const REFRESH_MS = 30_000;
/** While a tool is set up, steps are noticed soon. */
const FIRST_RUN_MS = 4_000;

/** Set in the browser's storage by a person who does not want to see the steps. */
const HIDDEN = 'set-up-hidden';

/** Today's figures, what needs attention and what has ended; before the first ad was shown, the steps to it. */
export const openOverview = (page: Page): View => {
  const attention = createReading(page, (api) => api.get('/attention'), { keep: true, may: page.rights.may('GET', '/attention') });
  const figures = createHomeFigures(page);
  const remedies = createRowRemedies(page, () => attention.load());
  let isSettingUp = false;
  let readAt = Date.now();
  const refresh = (): void => {
    if (document.visibilityState !== 'visible' || Date.now() - readAt < (isSettingUp ? 0 : REFRESH_MS - FIRST_RUN_MS)) return;
    readAt = Date.now();
    void Promise.all([attention.load(), figures.load()]);
  };
  const timer = setInterval(refresh, FIRST_RUN_MS);
  const endKeys = listenToHomeKeys();
  const hide = (): void => {
    localStorage.setItem(HIDDEN, 'true');
    page.redraw();
  };
  const show = (read: Attention): TemplateResult => {
    isSettingUp = isFirstRun(read) && localStorage.getItem(HIDDEN) === null;
    const rest = html`${statusCounts(read)} ${attentionCard(page, read, remedies, attention.load)} ${endedCard(read)}`;
    return html`${isSettingUp ? firstRun(page, read, hide) : nothing} ${isSettingUp && read.groups.length === 0 ? nothing : rest}
    ${healthLine(read)}`;
  };
  return {
    title: t`Home`,
    section: 'overview',
    leave: () => {
      endKeys();
      clearInterval(timer);
      remedies.leave();
    },
    render: () => {
      const rest = attention.render(show);
      return html`${pageHead(t`Home`, '')} ${isSettingUp ? nothing : figures.render()} ${rest}`;
    },
  };
};
