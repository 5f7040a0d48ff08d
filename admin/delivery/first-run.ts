import { html, nothing, type TemplateResult } from 'lit-html';
import type { Attention } from '../../src/delivery/attention/attention.ts';
import { NEEDED_KINDS } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { button, pill } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { mayOpen } from '../screen-groups.ts';
import { linkTo } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

interface FirstStep {
  readonly title: string;
  readonly text: string;
  readonly isDone: (read: Attention) => boolean;
  /** What takes it. */
  readonly label: string;
  readonly hash: (page: Page) => string;
}

/** To the first ad on a page. */
const STEPS: readonly FirstStep[] = [
  {
    title: t`Publisher`,
    text: t`A site that shows ads, and its API key`,
    isDone: ({ records }) => records.publishers > 0,
    label: t`Add a publisher`,
    hash: () => hashOf(['publishers', 'new']),
  },
  {
    title: t`Placement`,
    text: t`Where on its pages an ad can appear`,
    isDone: ({ records }) => records.placements > 0,
    label: t`Add a placement`,
    hash: () => hashOf(['placements', 'new']),
  },
  {
    title: t`Tag on a page`,
    text: t`Copy the tag of the placement into a page, and open that page: it is noticed here`,
    isDone: ({ seen }) => seen.placement !== null,
    label: t`Get the tag`,
    hash: ({ store }) => {
      const [placement] = store.first('placements');
      return placement ? linkTo('placements', placement.id) : hashOf(['placements']);
    },
  },
  {
    title: t`Campaign`,
    text: t`What runs, for which visitors, at what price, with its ads: on one screen`,
    isDone: ({ records }) => NEEDED_KINDS.every((kind) => records[kind] > 0),
    label: t`Add a campaign`,
    hash: () => hashOf(['campaigns', 'new']),
  },
  {
    title: t`First impression`,
    text: t`Open the page once more: the ad is shown, and counted within half a minute`,
    isDone: ({ seen }) => seen.impression,
    label: t`Test an ad`,
    hash: () => hashOf(['test']),
  },
];

/** Whether no ad was ever shown. */
export const isFirstRun = ({ seen }: Pick<Attention, 'seen'>): boolean => !seen.impression;

/** The way to the first ad. Each step is ticked when it is seen to be done, by any person. */
export const firstRun = (page: Page, read: Attention, hide: () => void): TemplateResult => {
  const next = STEPS.find(({ isDone }) => !isDone(read));
  const left = STEPS.filter(({ isDone }) => !isDone(read)).length;
  return html`<section aria-label=${t`Set-up`}>
    <div class="card-head">
      <p>
        ${t`To the first ad: ${STEPS.length - left} of ${STEPS.length} steps are done. Each is noticed by itself. To see a tool in use:`}
        <code>npm start -- --demo=large</code>.
      </p>
      ${button(t`Hide these steps`, hide, 'quiet')}
    </div>
    <ol class="steps" aria-label=${t`Set-up`}>
      ${STEPS.map((step, i) => show(page, step, i + 1, step.isDone(read), step === next))}
    </ol>
  </section>`;
};

const show = (page: Page, { title, text, label, hash }: FirstStep, number: number, isDone: boolean, isNext: boolean): TemplateResult => {
  const to = hash(page);
  const action =
    isNext && mayOpen(page.rights, to) ? html`<a role="button" class="primary" href=${to}>${label}</a>` : isNext ? nothing : pill('later');
  return html`<li class="step ${isDone ? 'done' : ''} ${isNext ? 'next' : ''}">
    <span class="step-number" aria-hidden="true">${isDone ? '✓' : number}</span>
    <div class="step-text">
      <h2>${title}</h2>
      <p>${text}</p>
    </div>
    <div class="step-end">${isDone ? html`<span class="muted">${t`Done`}</span>` : action}</div>
  </li>`;
};
