import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import type { NextStep } from '../bookings/forms/next-step.ts';
import type { CreativeStatus } from '../../src/catalog/model/choices.ts';
import type { LineItemStatus } from '../../src/delivery/status/status.ts';
import { withDates } from '../words/dates.ts';
import { statusWords } from '../words/status-words.ts';
import type { DeliveryStatus } from '../../src/decision/no-bid-reason.ts';
import type { Problem } from '../api/wire.ts';
import { say, t } from '../words/texts.ts';

/** The head of a screen: title, a line of text, buttons. */
export const pageHead = (
  title: string,
  text: TemplateResult | string,
  actions: TemplateResult | typeof nothing = nothing,
): TemplateResult => html`
  <header class="page-head">
    <div>
      <h1 tabindex="-1">${title}</h1>
      ${text ? html`<p>${text}</p>` : nothing}
    </div>
    <div class="actions">${actions}</div>
  </header>
`;

/** The way to a screen: links, and the screen's own name last. */
export const crumbs = (links: readonly (readonly [hash: string, label: string])[], here: string): TemplateResult =>
  html`<nav class="crumbs" aria-label=${t`Breadcrumb`}>
    ${links.map(([hash, label]) => html`<a href=${hash}>${label}</a> / `)}<span>${here}</span>
  </nav>`;

/** A titled part of a screen; `head` is beside its title. */
export const card = (title: string, content: unknown, head: TemplateResult | typeof nothing = nothing): TemplateResult =>
  html`<section class="card">
    ${
      head === nothing
        ? html`<h2>${title}</h2>`
        : html`<div class="card-head">
            <h2>${title}</h2>
            ${head}
          </div>`
    }
    ${content}
  </section>`;

/** A button that submits no form. @param name for screen readers, where the label alone is not clear */
export const button = (label: string, run: () => unknown, look = '', name?: string): TemplateResult =>
  html`<button type="button" class=${look} aria-label=${name ?? nothing} @click=${() => void run()}>${label}</button>`;

/** A button that is pressed while what it says is chosen. @param title a tooltip */
export const toggleButton = (
  label: string,
  isOn: boolean,
  run: () => unknown,
  { title, isDisabled = false }: { readonly title?: string | undefined; readonly isDisabled?: boolean } = {},
): TemplateResult =>
  html`<button
    type="button"
    class="toggle"
    aria-pressed=${String(isOn)}
    ?disabled=${isDisabled}
    title=${title ?? nothing}
    @click=${() => void run()}
  >
    ${label}
  </button>`;

/** @param words beside it */
export const checkBox = (words: string, isOn: boolean, write: (isOn: boolean) => void, look = ''): TemplateResult =>
  html`<label class=${look}
    ><input type="checkbox" .checked=${live(isOn)} @change=${({ target }: Event) => write((target as HTMLInputElement).checked)} />
    ${words}</label
  >`;

export type Status = DeliveryStatus | Exclude<CreativeStatus, 'approved'> | 'live' | 'blocked' | 'deleted' | 'later';

const TONES: Readonly<Record<Status, 'good' | 'calm' | 'quiet' | 'warn' | 'bad'>> = {
  delivering: 'good',
  ahead: 'good',
  live: 'good',
  ready: 'calm',
  scheduled: 'calm',
  'held back': 'calm',
  paused: 'quiet',
  archived: 'quiet',
  finished: 'quiet',
  capped: 'warn',
  behind: 'warn',
  outranked: 'bad',
  'cannot serve': 'bad',
  'budget spent': 'warn',
  'goal reached': 'good',
  blocked: 'bad',
  deleted: 'quiet',
  later: 'quiet',
  draft: 'quiet',
  pending: 'warn',
  rejected: 'bad',
};

export const toneOf = (status: Status): string => TONES[status];

export const pill = (status: Status, words: string = status): TemplateResult =>
  html`<span class="pill ${toneOf(status)}">${say(words)}</span>`;

/** The status of a line item or a campaign in a list, with its reasons as a tooltip; undefined: it is being read. */
export const statusPill = (status: LineItemStatus | undefined): TemplateResult =>
  status
    ? html`<span title=${[statusWords(status), ...status.reasons.map(withDates)].join('; ')}
        >${pill(status.value, statusWords({ ...status, held_until: null }))}</span
      >`
    : html`<span class="pill quiet" aria-busy="true">…</span>`;

export const emptyState = (text: string, step?: NextStep): TemplateResult => html`
  <div class="empty">
    <p>${text}</p>
    ${step ? html`<a role="button" href=${step.hash}>${step.label}</a>` : nothing}
  </div>
`;

/** @param faults its single faults, in words */
export const problemNote = (problem: Problem, faults: readonly string[] = []): TemplateResult =>
  html`<div class="note bad" role="alert">
    <strong>${problem.title}</strong>
    <p>${problem.detail}</p>
    ${
      faults.length > 0
        ? html`<ul>
            ${faults.map((fault) => html`<li>${fault}</li>`)}
          </ul>`
        : nothing
    }
  </div>`;

export const loading = (): TemplateResult => html`<p class="loading" aria-busy="true">${t`Loading …`}</p>`;

export interface Bar {
  readonly label: string;
  readonly used: number;
  /** Reserved and not yet delivered, in addition to `used`. */
  readonly held?: number;
  readonly limit: number;
  readonly show: (value: number) => string;
}

/** The used part of a limit, as a bar. */
export const usageBar = ({ label, used, held = 0, limit, show }: Bar): TemplateResult => {
  const share = (value: number): number => (limit > 0 ? Math.min(100, (100 * value) / limit) : 100);
  const text = t`${show(used)} of ${show(limit)}${held > 0 ? t`, ${show(held)} more reserved` : ''}`;
  return html`<div class="usage">
    <div class="usage-head"><span>${label}</span><span class="figure">${text}</span></div>
    <div class="bar ${share(used + held) >= 100 ? 'full' : ''}" role="img" aria-label="${label}: ${text}">
      <span class="used" .style=${`width:${share(used)}%`}></span
      ><span class="held" .style=${`width:${Math.min(100 - share(used), share(held))}%`}></span>
    </div>
  </div>`;
};
