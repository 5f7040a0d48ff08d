import { html, nothing, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import { linkTo, titleIn } from '../words/kinds.ts';
import type { Page } from '../page.ts';
import { previewServed } from '../parts/preview/preview-document.ts';
import { table } from '../parts/table.ts';
import { money } from '../words/formats.ts';
import { readTrace, type Candidate } from './read-trace.ts';
import { say, t } from '../words/texts.ts';

export type TestAnswer = Answered<'POST', '/test_ad'>;

/**
 * The ad as a page would show it, the steps of the decision, and the outcome of every candidate.
 */
export const testResult = (page: Page, answer: TestAnswer, placementId: string, askedAbout: number | undefined): TemplateResult => {
  const bid = answer.seatbid[0]?.bid[0];
  const trace = answer.debug.trace.imps[0];
  const candidates = trace ? readTrace(trace, answer.cur) : [];
  const winner = candidates.find(({ outcome }) => outcome === 'won');
  const about = candidates.filter(({ lineItemId }) => lineItemId === askedAbout);
  return html`
    <section class="card result">
      <h2>${bid ? t`This ad` : t`No ad`}</h2>
      ${
        bid
          ? html`<p>${winner ? lineItemLink(page, winner) : nothing} ${t`wins with ${money(bid.price, answer.cur)} eCPM.`}</p>
              <ad-preview
                class="preview-frame"
                .ad=${{ markup: previewServed(bid.adm), width: bid.w, height: bid.h, title: t`The ad as served` }}
              ></ad-preview>`
          : html`<p>${noAdWords(candidates, placementId)} <span class="figure">${t`nbr ${answer.nbr ?? trace?.nbr ?? '–'}`}</span></p>`
      }
      ${about.length > 0 ? html`<div class="note"><p>${t`The line item you came from:`} ${about.map((candidate) => html`${words(candidate)} `)}</p></div>` : nothing}
    </section>
    ${trace ? decision(page, trace, candidates, askedAbout) : nothing}
  `;
};

const decision = (
  page: Page,
  trace: TestAnswer['debug']['trace']['imps'][number],
  candidates: readonly Candidate[],
  askedAbout: number | undefined,
): TemplateResult => html`
  <section class="card">
    <h2>${t`The decision`}</h2>
    <ol class="funnel" aria-label=${t`Candidates left after each step`}>
      ${trace.steps.map(
        ({ stage, creative_ids, rejected }) =>
          html`<li>
            <span>${say(stage)}</span
            ><strong>${creative_ids.length}</strong>${rejected.length > 0 ? html`<small>−${rejected.length}</small>` : nothing}
          </li>`,
      )}
    </ol>
    ${
      candidates.length === 0
        ? html`<p class="empty-preview">${t`This publisher has no creative on this placement.`}</p>`
        : table({
            caption: t`What became of each candidate`,
            rows: candidates,
            rowClass: ({ lineItemId }) => (lineItemId === askedAbout ? 'asked' : ''),
            columns: [
              {
                label: t`Candidate`,
                cell: (candidate) =>
                  html`<div>
                    ${lineItemLink(page, candidate)}<br /><small
                      ><a href=${linkTo('creatives', candidate.creativeId)}>${t`creative ${candidate.creativeId}`}</a></small
                    >
                  </div>`,
              },
              { label: t`Outcome`, cell: outcomePill },
              { label: t`Why`, prose: true, cell: ({ detail }) => detail },
            ],
          })
    }
    ${
      trace.left_out === undefined
        ? nothing
        : html`<p><small>${t`${trace.left_out} more creatives are booked on this placement and not shown here.`}</small></p>`
    }
  </section>
`;

const outcomePill = ({ outcome, stage, place }: Candidate): TemplateResult => {
  switch (outcome) {
    case 'won':
      return html`<span class="pill good">${t`won`}</span>`;
    case 'outranked':
      return html`<span class="pill calm">${place ? t`place ${place}` : t`outranked`}</span>`;
    case 'fell':
      return html`<span class="pill warn">${t`fell at ${say(stage)}`}</span>`;
  }
};

const lineItemLink = ({ store }: Page, { lineItemId }: Candidate): TemplateResult =>
  html`<a href=${linkTo('line_items', lineItemId)}>${titleIn(store, 'line_items', lineItemId)}</a>`;

const words = ({ outcome, stage, detail, creativeId }: Candidate): string =>
  outcome === 'fell'
    ? t`creative ${creativeId} fell at ${say(stage)}: ${detail}.`
    : t`creative ${creativeId} ${outcome === 'won' ? t`won` : t`was outranked: ${detail}`}.`;

const noAdWords = (candidates: readonly Candidate[], placementId: string): string => {
  const [closest] = candidates;
  return closest
    ? t`No creative could serve. Creative ${closest.creativeId} came closest; it fell at ${closest.stage}: ${closest.detail}.`
    : t`Nothing is booked on “${placementId}” for this publisher.`;
};
