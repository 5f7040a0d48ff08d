import { html, type TemplateResult } from 'lit-html';
import { addStep, type NextStep } from '../forms/next-step.ts';
import { aOne, counted, linkTo, NAMES, titleOf } from '../words/kinds.ts';
import type { Page, View } from '../page.ts';
import { card, pageHead, pill } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { table } from '../parts/table.ts';
import { NEEDED_KINDS, type NeededKind } from '../service/wire.ts';
import { listColumns, statusOf } from './list-columns.ts';

/** The steps of a direct campaign. */
const STEPS: Readonly<Record<NeededKind, string>> = {
  publishers: 'Sites that show ads, and their API keys',
  placements: 'Where on those pages an ad can appear',
  campaigns: 'One publisher, one flight, one budget',
  line_items: 'What runs, for which visitors, at what price',
  creatives: 'The ads themselves',
};

/** The progress of the set-up, what needs attention, and what runs. */
export const openOverview = (page: Page): View => {
  const { store } = page;
  void store.refresh().then((problem) => (problem ? page.complain(problem) : page.redraw()));
  return {
    title: 'Overview',
    section: 'overview',
    render: () => {
      const next = NEEDED_KINDS.find((kind) => store.all(kind).length === 0);
      const running = store.all('line_items').filter((item) => statusOf(store, item) === 'active');
      const open = needs(page);
      return html`
        ${pageHead('Overview', next ? 'Setting up a campaign takes five steps.' : `${counted(running.length, 'line item')} running.`)}
        <ol class="steps" aria-label="Set-up">
          ${NEEDED_KINDS.map((kind, i) => step(page, kind, i + 1, next))}
        </ol>
        ${
          open.length > 0
            ? card(
                'Needs attention',
                html`<ul class="needs">
                  ${open.map(({ text, label, hash }) => html`<li><span>${text}</span><a href=${hash}>${label}</a></li>`)}
                </ul>`,
              )
            : ''
        }
        ${
          running.length > 0
            ? card(
                'Running now',
                table({ caption: 'Running line items', rows: running.slice(0, 8), columns: listColumns(page, 'line_items') }),
                html`<a href=${hashOf(['line_items'])}>All line items</a>`,
              )
            : ''
        }
        ${
          next
            ? ''
            : html`<section class="card call">
                <div>
                  <h2>See it work</h2>
                  <p>Choose a visitor, and see which ad they get and why.</p>
                </div>
                <a role="button" href=${hashOf(['test'])}>Test an ad</a>
              </section>`
        }
      `;
    },
  };
};

const step = ({ store }: Page, kind: NeededKind, number: number, next: NeededKind | undefined): TemplateResult => {
  const count = store.all(kind).length;
  const { many } = NAMES[kind];
  const isNext = kind === next;
  return html`<li class="step ${count > 0 ? 'done' : ''} ${isNext ? 'next' : ''}">
    <span class="step-number" aria-hidden="true">${count > 0 ? '✓' : number}</span>
    <div class="step-text">
      <h2><a href=${hashOf([kind])}>${many}</a></h2>
      <p>${STEPS[kind]}</p>
    </div>
    <div class="step-end">
      ${count > 0 ? html`<strong>${count.toLocaleString('en')}</strong>` : isNext ? html`<a role="button" href=${hashOf([kind, 'new'])}>Add ${aOne(kind)}</a>` : pill('later')}
    </div>
  </li>`;
};

const MAX_NEEDS = 6;

/**
 * Campaigns and line items that cannot serve because something is missing, and creatives that are blocked or wait for approval.
 */
const needs = ({ store }: Page): readonly NextStep[] => {
  const creatives = store.all('creatives');
  const items = store.all('line_items');
  return [
    ...store
      .all('campaigns')
      .filter(({ id }) => !items.some(({ campaign_id }) => campaign_id === id))
      .map((campaign) =>
        addStep('line_items', `Campaign “${titleOf('campaigns', campaign)}” has no line item.`, { campaign_id: campaign.id }),
      ),
    ...items
      .filter((item) => statusOf(store, item) !== 'ended' && !creatives.some(({ line_item_id }) => line_item_id === item.id))
      .map((item) =>
        addStep('creatives', `Line item “${titleOf('line_items', item)}” has no creative, so it cannot serve.`, { line_item_id: item.id }),
      ),
    ...creatives
      .filter(({ blocked_at, status }) => blocked_at || status === 'pending')
      .map((creative) => ({
        text: `${titleOf('creatives', creative)} ${creative.blocked_at ? 'is blocked' : 'waits for approval'}.`,
        label: 'Review it',
        hash: linkTo('creatives', creative.id),
      })),
  ].slice(0, MAX_NEEDS);
};
