import { html, nothing, type TemplateResult } from 'lit-html';
import type { Attention } from '../../src/delivery/attention/attention.ts';
import { addLink, addStep } from '../bookings/forms/next-step.ts';
import { NAMES } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { button, pageHead, pill } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { hashOf } from '../route.ts';
import { NEEDED_KINDS, type NeededKind } from '../api/wire.ts';
import { createHomeFigures } from './home-figures.ts';
import { endedCard, healthLine, statusCounts } from './attention-cards.ts';
import { attentionCard } from './attention-list.ts';
import { locale } from '../words/language.ts';
import { t } from '../words/texts.ts';

/** The steps of a direct campaign. */
const STEPS: Readonly<Record<NeededKind, string>> = {
  publishers: t`Sites that show ads, and their API keys`,
  placements: t`Where on those pages an ad can appear`,
  campaigns: t`One publisher, one flight, one budget`,
  line_items: t`What runs, for which visitors, at what price`,
  creatives: t`The ads themselves`,
};

const REFRESH_MS = 30_000;

/** Set in the browser's storage by a person who does not want to see the steps. */
const HIDDEN = 'set-up-hidden';

/** Today's figures, what needs attention and what has ended; before the first campaign is complete, its next step. */
export const openOverview = (page: Page): View => {
  const attention = createReading(page, (api) => api.get('/attention'), { keep: true, may: page.rights.may('GET', '/attention') });
  const figures = createHomeFigures(page);
  const refresh = (): void => {
    if (document.visibilityState === 'visible') void Promise.all([attention.load(), figures.load()]);
  };
  const timer = setInterval(refresh, REFRESH_MS);
  const hide = (): void => {
    localStorage.setItem(HIDDEN, 'true');
    page.redraw();
  };
  let isSettingUp = false;
  const show = (read: Attention): TemplateResult => {
    const next = NEEDED_KINDS.find((kind) => read.records[kind] === 0);
    isSettingUp = next !== undefined && localStorage.getItem(HIDDEN) === null;
    if (next && isSettingUp) return html`${steps(page, read, next, hide)} ${healthLine(read)}`;
    return html`${statusCounts(read)} ${attentionCard(page, read, attention.load)} ${endedCard(read)} ${healthLine(read)}`;
  };
  return {
    title: t`Home`,
    section: 'overview',
    leave: () => clearInterval(timer),
    render: () => {
      const rest = attention.render(show);
      return html`${pageHead(t`Home`, '')} ${isSettingUp ? nothing : figures.render()} ${rest}`;
    },
  };
};

const steps = (page: Page, read: Attention, next: NeededKind, hide: () => void): TemplateResult => html`
  <div class="card-head">
    <p>${t`Setting up a campaign takes five steps. To see a tool in use:`} <code>npm start -- --demo=large</code>.</p>
    ${button(t`Hide these steps`, hide, 'quiet')}
  </div>
  <ol class="steps" aria-label=${t`Set-up`}>
    ${NEEDED_KINDS.map((kind, i) => step(page, kind, read.records[kind], i + 1, kind === next))}
  </ol>
`;

const step = (page: Page, kind: NeededKind, count: number, number: number, isNext: boolean): TemplateResult => {
  const { many } = NAMES[kind];
  return html`<li class="step ${count > 0 ? 'done' : ''} ${isNext ? 'next' : ''}">
    <span class="step-number" aria-hidden="true">${count > 0 ? '✓' : number}</span>
    <div class="step-text">
      <h2><a href=${hashOf([kind])}>${many}</a></h2>
      <p>${STEPS[kind]}</p>
    </div>
    <div class="step-end">
      ${count > 0 ? html`<strong>${count.toLocaleString(locale)}</strong>` : isNext ? addLink(page, addStep(kind), 'primary') : pill('later')}
    </div>
  </li>`;
};
