import { html, nothing, type TemplateResult } from 'lit-html';
import type { Flow, FlowTable } from '../../src/delivery/flow/flow.ts';
import type { Page } from '../page.ts';
import { card } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { date } from '../words/dates.ts';
import { count, amounts, percent } from '../words/formats.ts';
import { refusalWord } from '../words/refusal-word.ts';
import { t } from '../words/texts.ts';

/** A step of the flow, and what was lost on the way to the next one. */
interface Step {
  readonly label: string;
  readonly value: number;
  /** What is read in place of the number. */
  readonly figure?: string;
  readonly losses: readonly (readonly [words: string, impressions: number])[];
}

/** Reasons named under a loss. */
const MAX_REASONS = 3;

/** What became of the requests of the last seven days: the same picture for a placement, a line item, a campaign and an advertiser. */
export const createFlowCard = (page: Page, table: FlowTable, id: number | string): (() => TemplateResult | typeof nothing) => {
  const may = page.rights.may('GET', `/${table}/{id}/flow`);
  const reading = createReading(page, (api) => api.get(`/${table}/{id}/flow`, { id }), { may });
  return () => (may ? card(t`From request to revenue`, html`${reading.render((flow) => show(flow, table))}`) : nothing);
};

const show = (flow: Flow, table: FlowTable): TemplateResult => {
  const period = html`<p class="muted">${t`${date(flow.from)} to ${date(flow.to)}, in UTC.`} ${ofSeveral(flow, table)}</p>`;
  if (flow.asked === 0)
    return html`${period}
      <p>${t`No request that it could have had came in these days.`}</p>`;
  return html`${period}
    <ol class="flow">
      ${stepsOf(flow, table).map((step, i, steps) => drawStep(step, steps[i - 1], flow))}
    </ol>`;
};

const ofSeveral = (flow: Flow, table: FlowTable): string =>
  flow.asked > 0 && (table === 'campaigns' || table === 'advertisers')
    ? t`A request counts once for each line item that it could have shown.`
    : '';

const stepsOf = (flow: Flow, table: FlowTable): readonly Step[] => {
  const because = (step: Flow['reasons'][number]['step']): Step['losses'] => {
    const reasons = flow.reasons.filter((reason) => reason.step === step);
    const others = reasons.slice(MAX_REASONS).reduce((sum, { impressions }) => sum + impressions, 0);
    return [
      ...reasons.slice(0, MAX_REASONS).map(({ reason, impressions }) => [refusalWord(reason), impressions] as const),
      [t`for other reasons`, others],
    ];
  };
  const isPlacement = table === 'placements';
  return [
    {
      ...{ label: t`Asked`, value: flow.asked },
      losses: [[t`off target`, flow.off_target], ...because('unsuitable')],
    },
    {
      ...{ label: t`Matched`, value: flow.matched },
      losses: [[t`outranked`, flow.outranked], ...because('capped'), ...because('other')],
    },
    {
      ...{ label: isPlacement ? t`Filled` : t`Served`, value: flow.served },
      losses: [
        [t`not rendered`, flow.not_shown],
        [t`filtered`, flow.filtered],
      ],
    },
    { label: t`Shown`, value: flow.shown, losses: [] },
    { label: t`Seen`, value: flow.seen, losses: [] },
    { label: t`Clicked`, value: flow.clicked, losses: [] },
    { label: t`Billed`, value: flow.shown, figure: amounts(flow.billed), losses: [] },
  ];
};

/** The height of a bar: of the root of the share, so that the last steps can be seen. */
const partOf = (value: number, whole: number): number => (value === 0 ? 0 : Math.max(0.02, Math.sqrt(value / whole)));

const drawStep = ({ label, value, figure, losses }: Step, before: Step | undefined, { asked, shown, billed }: Flow): TemplateResult => {
  const lost = losses.filter(([, impressions]) => impressions > 0);
  return html`<li>
    <span class="flow-bar" aria-hidden="true"
      ><span .style=${`--part:${partOf(figure === undefined ? value : shown * Number(billed.length > 0), asked)}`}></span
    ></span>
    <b>${figure ?? count(value)}</b>
    <span class="flow-label"
      >${label}${before && before.value > 0 && figure === undefined ? html` <small>${percent(shareOf(value / before.value))}</small>` : nothing}</span
    >
    ${
      lost.length === 0
        ? nothing
        : html`<ul>
            ${lost.map(([words, impressions]) => html`<li><b>−${count(impressions)}</b> ${words}</li>`)}
          </ul>`
    }
  </li>`;
};

/** In whole percent, from ten on. */
const shareOf = (share: number): number => (share >= 0.1 ? Math.round(100 * share) / 100 : share);
