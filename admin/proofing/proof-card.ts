import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import type { Answered } from '../api/api.ts';
import type { Page } from '../page.ts';
import { button, card } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { hashOf } from '../route.ts';
import { moment } from '../words/dates.ts';
import { counted } from '../words/kinds.ts';
import { t } from '../words/texts.ts';
import { saidWords } from './proof-words.ts';
import { shareProof } from './share-proof.ts';

type Proof = Answered<'GET', '/creatives/{id}/proof'>;

const PATH = '/creatives/{id}/proof';

/** What the advertiser says of a creative, with a reply, and the way to a link for it. */
export const createProofCard = (page: Page, id: number): (() => TemplateResult | typeof nothing) => {
  const { rights } = page;
  const shares = rights.may('POST', '/proof_links');
  const proof = createReading(page, (api) => api.get(PATH, { id }), { keep: true, may: rights.may('GET', PATH) });
  const links = createReading(page, (api) => api.get('/proof_links', { creative_id: id }), { keep: true, may: shares });
  let typed = '';
  let sending = false;

  const reply = async (): Promise<void> => {
    if (typed.trim() === '' || sending) return;
    sending = true;
    const answer = await page.api.send('POST', PATH, { id, body: { text: typed } });
    sending = false;
    // What was typed stays until it is stored.
    if (!answer.ok) return page.complain(answer.problem);
    typed = '';
    await proof.load();
  };
  const share = async (): Promise<void> => {
    await shareProof(page, { creative_id: id });
    await links.load();
  };

  const standing = ({ verdict, remarks }: Proof): TemplateResult => {
    if (verdict) {
      const look = verdict.verdict === 'approved' ? 'good' : 'warn';
      return html`<p><span class="pill ${look}">${saidWords(verdict)}</span></p>`;
    }
    const isOld = remarks.some((remark) => remark.verdict !== null);
    if (isOld) return html`<p><span class="pill quiet">${t`changed since it was judged`}</span></p>`;
    return remarks.length > 0 ? html`${nothing}` : html`<p class="muted">${t`The advertiser has said nothing yet.`}</p>`;
  };
  const thread = ({ remarks }: Proof): TemplateResult =>
    html`<ul class="comments">
      ${remarks.map(
        (remark) =>
          html`<li>
            <p class="muted">
              <b>${saidWords(remark)}</b>,
              ${moment(remark.at)}${remark.side === 'publisher' ? t` · reply of staff` : nothing}${
                remark.verdict !== null && !remark.is_current ? t` · about an earlier version` : nothing
              }
            </p>
            ${remark.text === '' ? nothing : html`<p class="comment-text">${remark.text}</p>`}
          </li>`,
      )}
    </ul>`;
  // Not a form: it is inside that of the creative.
  const replyField = (): TemplateResult =>
    html`<div class="comment-form">
      <label class="unseen" for="proof-reply">${t`Reply to the advertiser`}</label>
      <textarea
        id="proof-reply"
        rows="2"
        maxlength="4000"
        placeholder=${t`Reply: everyone with a link reads it`}
        .value=${live(typed)}
        @input=${(event: InputEvent) => (typed = (event.target as HTMLTextAreaElement).value)}
      ></textarea>
      ${button(t`Reply`, reply, 'secondary')}
    </div>`;
  const open = (all: Answered<'GET', '/proof_links'>): TemplateResult => {
    const usable = all.filter(({ revoked_at, expires_at }) => revoked_at === null && Date.parse(expires_at) > Date.now());
    return html`<p class="help">
      ${usable.length === 0 ? t`No link shows it yet.` : t`${counted(usable.length, 'link')} shows it to the advertiser.`}
      <a href=${hashOf(['report_links'])}>${t`Shared links`}</a>
    </p>`;
  };

  if (!rights.may('GET', PATH)) return () => nothing;
  return () =>
    card(
      t`Proof`,
      html`${proof.render(
        (read) => html`${standing(read)} ${thread(read)} ${read.remarks.length > 0 && rights.may('POST', PATH) ? replyField() : nothing}`,
      )}
      ${shares ? links.render(open) : nothing}`,
      shares ? button(t`Share with the advertiser`, share, 'secondary') : nothing,
    );
};
