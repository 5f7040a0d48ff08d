import { html, nothing, type TemplateResult } from 'lit-html';
import type { Attention } from '../../src/trafficking/attention/attention.ts';
import { aOne, NAMES } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { pageHead, pill } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { hashOf } from '../route.ts';
import { NEEDED_KINDS, type NeededKind } from '../service/wire.ts';
import { createHomeFigures } from './home-figures.ts';
import { attentionCard, endedCard, healthLine, statusCounts } from './attention-cards.ts';

/** The steps of a direct campaign. */
const STEPS: Readonly<Record<NeededKind, string>> = {
  publishers: 'Sites that show ads, and their API keys',
  placements: 'Where on those pages an ad can appear',
  campaigns: 'One publisher, one flight, one budget',
  line_items: 'What runs, for which visitors, at what price',
  creatives: 'The ads themselves',
};

const REFRESH_MS = 30_000;

/** Today's figures, what needs attention and what has ended; before the first campaign is complete, its next step. */
export const openOverview = (page: Page): View => {
  const { store } = page;
  void store.count().then((problem) => (problem ? page.complain(problem) : page.redraw()));
  const attention = createReading<Attention>(page, () => '/attention', { keep: true });
  const figures = createHomeFigures(page);
  const refresh = (): void => {
    if (document.visibilityState === 'visible') void Promise.all([attention.load(), figures.load()]);
  };
  const timer = setInterval(refresh, REFRESH_MS);
  return {
    title: 'Home',
    section: 'overview',
    leave: () => clearInterval(timer),
    render: () => {
      const next = NEEDED_KINDS.find((kind) => store.total(kind) === 0);
      return html`
        ${pageHead('Home', next ? 'Setting up a campaign takes five steps.' : '')}
        ${
          next
            ? html`<ol class="steps" aria-label="Set-up">
                ${NEEDED_KINDS.map((kind, i) => step(page, kind, i + 1, next))}
              </ol>`
            : nothing
        }
        ${next ? nothing : figures.render()}
        ${attention.render(
          (read) =>
            html`${statusCounts(read)} ${next ? nothing : attentionCard(page, read, attention.load)} ${endedCard(read)} ${healthLine(read)}`,
        )}
      `;
    },
  };
};

const step = ({ store }: Page, kind: NeededKind, number: number, next: NeededKind | undefined): TemplateResult => {
  const count = store.total(kind);
  const { many } = NAMES[kind];
  const isNext = kind === next;
  return html`<li class="step ${count > 0 ? 'done' : ''} ${isNext ? 'next' : ''}">
    <span class="step-number" aria-hidden="true">${count > 0 ? '✓' : number}</span>
    <div class="step-text">
      <h2><a href=${hashOf([kind])}>${many}</a></h2>
      <p>${STEPS[kind]}</p>
    </div>
    <div class="step-end">
      ${count > 0 ? html`<strong>${count.toLocaleString()}</strong>` : isNext ? html`<a role="button" href=${hashOf([kind, 'new'])}>Add ${aOne(kind)}</a>` : pill('later')}
    </div>
  </li>`;
};
